#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/show/show.h"
#include "hipcache/base/files.h"
#include "hipcache/report/live.h"

namespace hipcache::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kReply = 5s;
constexpr std::size_t kWidth = 80, kHeight = 24;  // of a terminal that does not say

// Another screen than that of the shell, without a cursor; back again; the first place of the screen; the rest of a
// line, and of the screen.
constexpr std::string_view kEnter = "\033[?1049h\033[?25l", kLeave = "\033[?25h\033[?1049l", kHome = "\033[H",
                           kEndOfLine = "\033[K", kEndOfScreen = "\033[J";

Result<report::Moment> read(const Result<std::string>& statistics) {
  if (!statistics) return statistics.error();
  Result<stats::Snapshot> counts = stats::Snapshot::from_json(*statistics);
  if (!counts) return counts.error();
  const Result<stats::StoreSize> store = stats::store_size_from_json(*statistics);
  if (!store) return store.error();
  return report::Moment{std::move(*counts), *store, std::chrono::steady_clock::now()};
}

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

Status print(std::string_view text) { return write_all(STDOUT_FILENO, text, "standard output"); }

// Shows moments, in place or line by line.
class View {
 public:
  explicit View(std::uint64_t max_size) : max_size_(max_size), is_drawn_(is_terminal()) {
    if (is_drawn_) [[maybe_unused]]
      const Status entered = print(kEnter);
  }
  ~View() {
    if (is_drawn_) [[maybe_unused]]
      const Status left = print(kLeave);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  Status show(const report::Moment& before, const report::Moment& now) {
    last_ = report::live_line(before, now, max_size_) + "\n";
    return print(is_drawn_ ? screen(before, now) : last_);
  }

  // What stays on the shell's screen.
  std::string rest() const { return is_drawn_ ? last_ : ""; }

 private:
  std::string screen(const report::Moment& before, const report::Moment& now) const {
    winsize size{};
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    std::string text(kHome);
    std::string_view separator;
    for (const std::string& line : report::live_screen(before, now, max_size_, is_known ? size.ws_col : kWidth,
                                                       is_known ? size.ws_row : kHeight)) {
      text.append(separator).append(line).append(kEndOfLine);
      separator = "\r\n";
    }
    return text.append(kEndOfScreen);
  }

  const std::uint64_t max_size_;
  const bool is_drawn_;
  std::string last_;
};

// The signals that end the view. They wait for their turn in the pauses.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, signal);
    sigprocmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // whoever reads the lines may leave
  }

  // Whether one came within a second.
  bool come_within_a_second() const {
    const timespec second{.tv_sec = 1, .tv_nsec = 0};
    return sigtimedwait(&set_, nullptr, &second) > 0;
  }

 private:
  sigset_t set_{};
};

}  // namespace

Result<std::string> watch(const Control& control, const config::Settings& settings) {
  const Signals signals;
  Result<report::Moment> before = read(control.ask(protocol::ControlKind::stats));
  if (!before) return before.error();
  View view(settings.max_size);
  if (!view.show(*before, *before)) return std::string();
  while (!signals.come_within_a_second()) {
    const Result<std::string> statistics = control.ask_running(protocol::ControlKind::stats, kReply);
    if (!statistics && statistics.error().code == ErrorCode::busy) continue;
    if (!statistics) return Error{"hipcached does not reply any more: " + statistics.error().message};
    Result<report::Moment> now = read(statistics);
    if (!now) return now.error();
    if (!view.show(*before, *now)) return std::string();
    before = std::move(now);
  }
  return view.rest();
}

}  // namespace hipcache::cli
