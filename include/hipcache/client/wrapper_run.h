// Becomes a wrapper, with hipcache in front of the compilers that it starts
// (hipcache/launcher/wrapper.h). Each function replaces this process, and returns only on failure.
#ifndef HIPCACHE_CLIENT_WRAPPER_RUN_H
#define HIPCACHE_CLIENT_WRAPPER_RUN_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::client {

// Returns the exit code, after it has printed why.
int exec_wrapper(std::vector<std::string> argv, const std::string& library,
                 const std::vector<std::string>& options = {});

// The same for a question about the compiler: "--plan", "--explain".
Error ask_wrapper(const std::vector<std::string>& argv, const std::string& library, const std::string& question,
                  bool json);

}  // namespace hipcache::client

#endif
