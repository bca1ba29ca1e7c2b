// The man page and the completions of shells, from the same table of options as --help. The build runs
// `hipcache-client --generate`, so that what is installed names exactly the options of the program.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_GENERATE_H
#define HIPCACHE_SRC_CLI_OPTIONS_GENERATE_H

#include <string>

#include "hipcache/base/result.h"

namespace hipcache::cli {

// `what`: man, bash, zsh or fish.
Result<std::string> generate(const std::string& what);

}  // namespace hipcache::cli

#endif
