// The way out of every trouble: become the real compiler.
#ifndef HIPCACHE_SRC_CLIENT_FALLBACK_H
#define HIPCACHE_SRC_CLIENT_FALLBACK_H

#include <string>
#include <vector>

namespace hipcache::client {

// Replaces this process by the command, with the environment it was started with. Returns only if that fails: the exit
// code that a shell would give, after a line on stderr. REQUIRES: no other thread and no child is left.
int run_real_compiler(const std::vector<std::string>& argv);

}  // namespace hipcache::client

#endif
