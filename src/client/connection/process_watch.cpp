#include "client/connection/process_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <thread>

#include "hipcache/base/process_status.h"

namespace hipcache::client {
namespace {

constexpr std::chrono::milliseconds kLook{5};
// Clock ticks from the boot to the start of the process. 0 for a process that has ended, also one that nobody has
// waited for.
std::uint64_t start_of(pid_t pid) {
  const std::optional<ProcessStatus> status = process_status(pid);
  return status && status->state != 'Z' && status->state != 'X' ? status->started : 0;
}

}  // namespace

// Called by its number: the header of glibc 2.36 cannot be used from C++.
ProcessWatch::ProcessWatch(pid_t pid)
    : pid_(pid), fd_(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1) {
  if (fd_) return;
  start_ = pid > 0 && errno != ESRCH ? start_of(pid) : 0;
  if (start_ == 0) pid_ = 0;
}

bool ProcessWatch::has_ended() const { return pid_ <= 0 || start_of(pid_) != start_; }

bool ProcessWatch::ended_within(std::chrono::milliseconds limit) const {
  if (fd_) {
    pollfd watched{fd_.get(), POLLIN, 0};
    return ::poll(&watched, 1, static_cast<int>(limit.count())) > 0;
  }
  for (const auto until = std::chrono::steady_clock::now() + limit; !has_ended();) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::min(kLook, limit));
  }
  return true;
}

bool ProcessWatch::send(int signal) const {
  if (fd_) return ::syscall(SYS_pidfd_send_signal, fd_.get(), signal, nullptr, 0) == 0;
  return !has_ended() && ::kill(pid_, signal) == 0;
}

}  // namespace hipcache::client
