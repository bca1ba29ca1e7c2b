// Options as users of ccache or sccache type them, for a link of that name that leads to hipcache.
//
// Choice: the options that builds and CI jobs really use mean the same; hipcache's own are understood too. Another
// option of that tool is an error that names docs/switching.md.
// Rejected: to ignore such an option. A job that sets a limit would go on with another one.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_OTHER_TOOL_H
#define HIPCACHE_SRC_CLI_OPTIONS_OTHER_TOOL_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_values.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

enum class Tool : std::uint8_t { none, ccache, sccache };

// By the last part of a program's path.
Tool tool_named(std::string_view path);

// "4.14.0", of the version whose output hipcache imitates. REQUIRES: a tool.
std::string_view version_of(Tool tool);

// `arguments` without the program's name. Actions in the order in which they are to be performed: both tools take
// several at once (ccache -Cz).
Result<std::vector<Options>> parse_options_of(Tool tool, const std::vector<std::string>& arguments);

// Begins as the tool's own, which build systems parse, and then says what it is.
std::string version_text(const Options& options);

}  // namespace hipcache::cli

#endif
