// Executes the real compiler: the fallback for every failure.
#ifndef HIPCACHE_SRC_CLIENT_EXEC_COMPILER_H
#define HIPCACHE_SRC_CLIENT_EXEC_COMPILER_H

#include <string>
#include <vector>

namespace hipcache::client {

// Replaces this process by the command, with the environment that this process was started with. Returns only on
// failure: it prints a line on stderr and returns the exit code that a shell would give. REQUIRES: no other thread and
// no child is left.
int run_real_compiler(const std::vector<std::string>& argv);

}  // namespace hipcache::client

#endif
