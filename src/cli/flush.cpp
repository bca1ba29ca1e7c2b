#include "cli/flush.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hipcache::cli {

namespace {

using namespace std::chrono_literals;
using Clock = Standstill::Clock;

constexpr auto kPause = 100ms;
constexpr auto kSayAfter = 5s;  // without a terminal, of standstill
constexpr auto kLongest = 20s;  // of standstill
constexpr auto kLimit = 10min;

struct Server {
  std::string url;
  std::string trouble;
};

struct Progress {
  std::uint64_t waiting = 0;  // results, and miss histories
  std::uint64_t waiting_results = 0;
  std::uint64_t written = 0;
  std::uint64_t failed = 0;
  std::uint64_t bytes_sent = 0;
  std::string error;
  std::vector<Server> servers;  // that are waited for
};

std::string text_of(const nlohmann::json& object, const char* name) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

Result<Progress> ask(const Control& control) {
  const Result<std::string> text = control.ask(protocol::ControlKind::flush);
  if (!text) return text.error();
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"the daemon's reply is not understood; hipcache --stop-server ends it"};
  const auto number = [&](const char* name) -> std::uint64_t {
    return json.contains(name) && json[name].is_number_unsigned() ? json[name].get<std::uint64_t>() : 0;
  };
  Progress progress{.waiting = number("waiting"),
                    .waiting_results = number("waiting_results"),
                    .written = number("written"),
                    .failed = number("failed"),
                    .bytes_sent = number("bytes_sent"),
                    .error = text_of(json, "error"),
                    .servers = {}};
  if (json.contains("servers") && json["servers"].is_array())
    for (const nlohmann::json& server : json["servers"])
      if (server.is_object()) progress.servers.push_back({text_of(server, "url"), text_of(server, "trouble")});
  return progress;
}

std::string results(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " result" : " results"); }

std::string seconds_of(Clock::duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

// The servers that are waited for, with what is known of their trouble.
std::string waited_for(const Progress& progress) {
  std::string text;
  for (const Server& server : progress.servers)
    text +=
        (text.empty() ? "" : "; ") + server.url + ": " + (server.trouble.empty() ? "no answer yet" : server.trouble);
  return text.empty() ? "hipcache-remote does not run; the daemon's log says why" : text;
}

Error not_written(std::uint64_t count, const std::string& why) {
  return Error{results(count) + " could not be written to a shared cache: " + why};
}

Result<std::string> conclude(const Progress& progress) {
  if (progress.failed > 0) return not_written(progress.failed, progress.error);
  return std::string("Nothing waits for a shared cache\n");
}

// What is waited for: always on a terminal, in one line that changes. Elsewhere once, if it takes long.
class Display {
 public:
  void show(const Progress& progress, Clock::duration still) {
    if (progress.waiting == 0) return clear();
    const bool is_long = still >= kSayAfter;
    std::string line = results(progress.waiting_results) + " to write";
    if (is_long) line += "; waiting for " + waited_for(progress);
    if (is_terminal_)
      std::fprintf(stderr, "\r\033[K%s", line.c_str());
    else if (is_long && !has_said_)
      std::fprintf(stderr, "hipcache: %s\n", line.c_str());
    has_said_ = has_said_ || is_terminal_ || is_long;
  }

  void clear() const {
    if (is_terminal_ && has_said_) std::fputs("\r\033[K", stderr);
  }

 private:
  const bool is_terminal_ = isatty(STDERR_FILENO) == 1;
  bool has_said_ = false;
};

}  // namespace

Result<std::string> flush(const Control& control) {
  const Clock::time_point start = Clock::now();
  Standstill standstill(start);
  Display display;
  for (;;) {
    const Result<Progress> progress = ask(control);
    if (!progress) return progress.error();
    const Clock::time_point now = Clock::now();
    const Clock::duration still = standstill.note(progress->written, progress->bytes_sent, now);
    display.show(*progress, still);
    const bool is_hopeless = still >= kLongest || now - start >= kLimit;
    if (progress->waiting == 0 || (is_hopeless && progress->waiting_results == 0)) return conclude(*progress);
    if (is_hopeless) {
      display.clear();
      return not_written(progress->waiting_results + progress->failed,
                         waited_for(*progress) + " (" +
                             (still >= kLongest ? "no progress for " + seconds_of(still)
                                                : "not done after " + seconds_of(now - start)) +
                             ")");
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace hipcache::cli
