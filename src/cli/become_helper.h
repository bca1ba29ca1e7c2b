// Replaces this process by a program of the installed tree that links what the client does not.
#ifndef HIPCACHE_SRC_CLI_BECOME_HELPER_H
#define HIPCACHE_SRC_CLI_BECOME_HELPER_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::cli {

// `words`: the helper's name, which lies beside this program, and its arguments. Returns only if it cannot be started.
Error become_helper(const std::vector<std::string>& words);

}  // namespace hipcache::cli

#endif
