#include "client/steps/step_messages.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "client/connection/daemon_start.h"
#include "hipcache/base/stream_marks.h"

namespace hipcache::client {

void remove_loader_errors(std::string& messages, const std::string& library) {
  if (library.empty()) return;
  const std::string beginning = "ERROR: ld.so: object '" + library + "' from LD_PRELOAD cannot be preloaded";
  for (std::size_t at = messages.find(beginning); at != std::string::npos; at = messages.find(beginning, at)) {
    const std::size_t end = messages.find('\n', at);
    messages.erase(at, end == std::string::npos ? end : end - at + 1);
  }
}

namespace {

constexpr int kLook = 50;  // poll interval in milliseconds, for kernels without pidfd_open

bool has_ended(pid_t child) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG) != 0)
    if (errno != EINTR) return true;
  return info.si_pid == child;
}

}  // namespace

Result<StepTexts::Stream> StepTexts::make_stream(int mark) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot make", "a pipe");
  Stream stream{UniqueFd(ends[0]), UniqueFd(ends[1]), ""};
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(ends[1], F_SETFL, mark) != 0 ||
      (fcntl(ends[1], F_GETFL) & HIPCACHE_STREAM_MARKS) != mark)
    return system_error("cannot make", "a pipe");
  return stream;
}

Result<StepTexts> StepTexts::make(bool one_file) {
  Result<Stream> out = make_stream(HIPCACHE_MARK_OUTPUT);
  if (!out) return out.error();
  Result<Stream> err = make_stream(HIPCACHE_MARK_ERROR);
  if (!err) return err.error();
  return StepTexts(std::move(*out), std::move(*err), one_file);
}

// Reads all that is available now.
void StepTexts::take(Stream& stream) {
  std::array<char, 64 * 1024> piece;
  for (;;) {
    const ssize_t got = read(stream.reader.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    const auto size = static_cast<std::size_t>(got);
    too_long_ = too_long_ || out_.text.size() + err_.text.size() + size > protocol::kTextLimit;
    if (!too_long_) stream.text.append(piece.data(), size);
    if (size < piece.size()) return;
  }
}

void StepTexts::follow(pid_t child) {
  const ProcessWatch process(child);
  std::array<pollfd, 3> watched{pollfd{process.fd(), POLLIN, 0}, pollfd{out_.reader.get(), POLLIN, 0},
                                pollfd{err_.reader.get(), POLLIN, 0}};
  bool ended = false;
  while (!ended) {
    poll(watched.data(), watched.size(), process.fd() >= 0 ? -1 : kLook);
    ended = has_ended(child);  // checked before reading, so the child's last output is read as well
    const std::size_t out = out_.text.size(), err = err_.text.size();
    take(out_);
    take(err_);
    // If both came since the last look, nobody knows which was first.
    if (one_file_) in_order_.append(out_.text, out).append(err_.text, err);
    mixed_ = mixed_ || (out_.text.size() > out && (err > 0 || err_.text.size() > err));
  }
}

void StepTexts::give(protocol::StepDone& report) && {
  if (too_long_) {
    report.doubt = "it prints more than " + std::to_string(protocol::kTextLimit) + " bytes";
    return;
  }
  report.mixed = mixed_;
  const bool in_order = mixed_ && one_file_;
  report.stdout_text = in_order ? std::move(in_order_) : std::move(out_.text);
  if (!in_order) report.stderr_text = std::move(err_.text);
}

}  // namespace hipcache::client
