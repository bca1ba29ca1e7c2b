// Becomes a wrapper, with hipcache in front of the compilers that it starts
// (src/trace/preload/front.c).
#ifndef HIPCACHE_CLIENT_WRAPPER_RUN_H
#define HIPCACHE_CLIENT_WRAPPER_RUN_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::client {

// Sets the variables for the wrapper in this process's own environment. `options` stand between
// hipcache and the compiler. An error if hipcache's own path is unknown.
Status prepare_wrapper(const std::string& library, const std::vector<std::string>& options = {});

// The same for a question about the compiler ("--plan", "--explain"), then executes the wrapper.
// Does not return if that succeeds, else it returns why.
Error become_wrapper(const std::vector<std::string>& argv, const std::string& library, const std::string& question,
                     bool json);

}  // namespace hipcache::client

#endif
