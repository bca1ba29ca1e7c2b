#include "support/system_calls.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hipcache::support {
namespace {

// Stops as a traced process, runs `work`, and ends with the exit call that marks the end.
[[noreturn]] void run_traced(const std::function<void()>& work) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
  ::raise(SIGSTOP);
  work();
  ::_exit(0);
}

// False when the child has ended.
bool next_stop(pid_t child) {
  int status = 0;
  if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) return false;
  return ::waitpid(child, &status, 0) == child && WIFSTOPPED(status);
}

}  // namespace

std::map<std::uint64_t, std::uint64_t> system_calls_of(const std::function<void()>& work) {
  std::map<std::uint64_t, std::uint64_t> counted;
  const pid_t child = ::fork();
  if (child == 0) run_traced(work);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSTOPPED(status)) << "the child cannot be traced";
  // Without PTRACE_O_TRACESYSGOOD a stop at a system call looks like any other stop.
  EXPECT_EQ(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
  while (WIFSTOPPED(status) && next_stop(child)) {
    __ptrace_syscall_info info = {};
    const auto size = reinterpret_cast<void*>(sizeof info);
    EXPECT_GT(::ptrace(PTRACE_GET_SYSCALL_INFO, child, size, &info), 0);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) ++counted[info.entry.nr];
  }
  counted.erase(SYS_exit_group);
  return counted;
}

}  // namespace hipcache::support
