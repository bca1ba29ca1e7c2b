// Parses hipcache's own options.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_OPTIONS_H
#define HIPCACHE_SRC_CLI_OPTIONS_OPTIONS_H

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_values.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

// `arguments` without the program's name. An error names the option and what to do.
Result<Options> parse_options(const std::vector<std::string>& arguments);

// An option as --help, the man page and the completions show it.
struct OptionText {
  std::string_view brief;  // "" if there is only the long name
  std::string_view name;
  std::string_view value;  // what it needs; "" if nothing
  std::string_view help;
};

std::vector<OptionText> option_texts();

std::string help_text();

}  // namespace hipcache::cli

#endif
