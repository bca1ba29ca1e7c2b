// Counts the system calls that code makes, as the kernel reports them.
#ifndef HIPCACHE_TESTS_SUPPORT_SYSTEM_CALLS_H
#define HIPCACHE_TESTS_SUPPORT_SYSTEM_CALLS_H

#include <cstdint>
#include <functional>
#include <map>

namespace hipcache::support {

// The number of calls, by system call number. Runs `work` in a child process that stops at each system call, so changes
// in memory are lost. The child may execute another program, whose calls count too. Fails the test if the child cannot
// be traced.
std::map<std::uint64_t, std::uint64_t> system_calls_of(const std::function<void()>& work);

}  // namespace hipcache::support

#endif
