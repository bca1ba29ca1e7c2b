// Parses hipcache's own options.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_H
#define HIPCACHE_SRC_CLI_OPTIONS_H

#include <string>
#include <vector>

#include "cli/option_values.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

// `arguments` without the program's name. An error names the option and what to do.
Result<Options> parse_options(const std::vector<std::string>& arguments);

std::string help_text();

}  // namespace hipcache::cli

#endif
