#include "daemon/remote/remote_process.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "hipcache/base/process.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kSendLimit = 2s;
constexpr auto kListen = 1h;
constexpr auto kEnd = 1s;  // for a killed process
constexpr auto kLook = 2ms;
constexpr auto kStable = 30s;  // a process that lived so long begins with the first pause again

// Without the URLs, which may hold secrets: another program that the user starts must not show them.
std::vector<std::string> environment() {
  std::vector<std::string> kept;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (const std::string text = *variable;
        !text.starts_with("HIPCACHE_REMOTE=") && !text.starts_with("HIPCACHE_EXECUTE="))
      kept.push_back(text);
  return kept;
}

// The loader prints one line if it does not find a library or a version of it.
std::string why_not_started(const UniqueFd& printed) {
  std::array<char, 1000> bytes{};
  const ssize_t size = printed ? pread(printed.get(), bytes.data(), bytes.size(), 0) : 0;
  const std::string text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::string line = readable(text.substr(0, text.find('\n')));
  return line.empty() ? "hipcache-remote ended without a word" : "hipcache-remote does not start: " + line;
}

}  // namespace

void RemoteProcess::stop() {
  std::thread listener;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (child_) shutdown(child_->channel.fd(), SHUT_RDWR);
    listener = std::move(listener_);
  }
  if (listener.joinable()) listener.join();
}

bool RemoteProcess::is_running() {
  const std::lock_guard lock(mutex_);
  return child_ != nullptr;
}

std::string RemoteProcess::trouble() {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void RemoteProcess::set_trouble(std::string trouble) {
  const std::lock_guard lock(mutex_);
  if (!trouble.empty() && trouble != trouble_ && !ending_) log_.warning(options_.without + ": " + trouble);
  trouble_ = std::move(trouble);
}

bool RemoteProcess::send(const protocol::RemoteMessage& message) {
  const std::shared_ptr<Child> child = child_or_start();
  if (!child) return false;
  const std::lock_guard lock(sending_);
  const Status sent = protocol::send(child->channel, message, kSendLimit);
  if (!sent) shutdown(child->channel.fd(), SHUT_RDWR);  // half a message may be in it; the listener ends the process
  return sent.ok();
}

void RemoteProcess::note_overdue() {
  const Clock::time_point now = Clock::now();
  if (!silent_.exchange(true)) silent_since_ = now.time_since_epoch().count();
  if (now - Clock::time_point(Clock::duration(silent_since_)) < kHung) return;
  const std::lock_guard lock(mutex_);
  if (child_) shutdown(child_->channel.fd(), SHUT_RDWR);
}

std::shared_ptr<RemoteProcess::Child> RemoteProcess::child_or_start() {
  const std::lock_guard lock(mutex_);
  if (child_ || ending_ || Clock::now() < start_after_) return child_;
  return start();
}

// REQUIRES: mutex_ is held, and no process runs.
std::shared_ptr<RemoteProcess::Child> RemoteProcess::start() {
  if (listener_.joinable()) listener_.join();  // it has ended: it gave up the child last
  std::erase_if(left_behind_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
  start_after_ = Clock::now() + next_pause_;  // if this fails
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  UniqueFd printed(memfd_create("hipcache-remote", MFD_CLOEXEC));
  sigset_t none;
  sigemptyset(&none);
  const Result<pid_t> pid = spawn({.program = options_.program,
                                   .argv = {options_.program},
                                   .environment = environment(),
                                   .stdin_fd = theirs.get(),
                                   .stderr_fd = printed ? printed.get() : -1,
                                   .other_fds = std::vector<int>(),
                                   .signal_mask = none,
                                   .die_with_parent = false});  // it ends when its socket is closed
  if (!pid) {
    trouble_ = pid.error().message;
    log_.warning(options_.without + ": " + trouble_);
    return nullptr;
  }
  auto child = std::make_shared<Child>(Child{*pid, protocol::Channel(std::move(ours)), std::move(printed)});
  started_ = Clock::now();
  silent_ = false;
  child_ = child;
  listener_ = std::thread([this, child] { listen(child); });
  const std::lock_guard sending(sending_);
  if (!protocol::send(child->channel, options_.settings, kSendLimit)) shutdown(child->channel.fd(), SHUT_RDWR);
  return child;
}

void RemoteProcess::listen(const std::shared_ptr<Child>& child) {
  bool has_answered = false;
  for (;;) {
    Result<protocol::RemoteMessage> received = protocol::receive_remote(child->channel, kListen);
    if (!received && received.error().code == ErrorCode::timed_out) continue;
    if (!received) break;
    silent_ = false;
    if (!std::exchange(has_answered, true)) set_trouble("");
    options_.receive(std::move(*received));
  }
  kill(child->pid, SIGKILL);  // it has ended, or does not do what it should
  wait_for_end(child->pid);
  pause_after_end();
  if (!has_answered) set_trouble(why_not_started(child->printed));
  options_.ended();
}

// A call to a file system whose server is gone outlives SIGKILL. The daemon does not wait for such a process.
void RemoteProcess::wait_for_end(pid_t pid) {
  for (const Clock::time_point until = Clock::now() + kEnd; Clock::now() < until; std::this_thread::sleep_for(kLook))
    if (waitpid(pid, nullptr, WNOHANG) != 0) return;
  log_.warning("hipcache-remote does not end: it waits for a file system");
  const std::lock_guard lock(mutex_);
  left_behind_.push_back(pid);
}

void RemoteProcess::pause_after_end() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - started_ > kStable) next_pause_ = kFirstPause;
  start_after_ = now + next_pause_;
  next_pause_ = std::min<Clock::duration>(next_pause_ * 2, kLongestPause);
  child_ = nullptr;
  if (!ending_) log_.warning("hipcache-remote ended; " + options_.without + " for a moment");
}

}  // namespace hipcache::daemon
