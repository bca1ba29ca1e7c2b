#include "client/connection/process_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <thread>

namespace hipcache::client {
namespace {

constexpr std::chrono::milliseconds kLook{5};
constexpr std::uint64_t kStatLimit = 4096;
constexpr int kStart = 22;  // its field in /proc/PID/stat
constexpr int kState = 3;

// Clock ticks from the boot to the start of the process. Empty for a process that has ended, also one that nobody has
// waited for. The format is "pid (name) state ...", and the name may hold any character.
std::string start_of(pid_t pid) {
  const Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat", kStatLimit);
  const std::size_t name_end = stat ? stat->rfind(") ") : std::string::npos;
  if (name_end == std::string::npos) return "";
  std::string_view rest = std::string_view(*stat).substr(name_end + 2);
  if (rest.starts_with('Z') || rest.starts_with('X')) return "";
  for (int field = kState; field < kStart; ++field) rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
  return std::string(rest.substr(0, rest.find(' ')));
}

}  // namespace

// Called by its number: the header of glibc 2.36 cannot be used from C++.
ProcessWatch::ProcessWatch(pid_t pid)
    : pid_(pid), fd_(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1) {
  if (fd_) return;
  start_ = pid > 0 && errno != ESRCH ? start_of(pid) : "";
  if (start_.empty()) pid_ = 0;
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
