// The system calls that a piece of code really makes, counted by the kernel's own account of them.
#ifndef HIPCACHE_TESTS_SUPPORT_SYSTEM_CALLS_H
#define HIPCACHE_TESTS_SUPPORT_SYSTEM_CALLS_H

#include <cstdint>
#include <functional>
#include <map>

namespace hipcache::support {

// By number of the call. Runs `work` in a child process that is stopped at each of its system calls; what it changes
// in memory is lost. It may become another program, whose calls count too. Fails the test where the child cannot be
// traced.
std::map<std::uint64_t, std::uint64_t> system_calls_of(const std::function<void()>& work);

}  // namespace hipcache::support

#endif
