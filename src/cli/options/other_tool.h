// Options as users of ccache or sccache type them, for a link of that name that leads to hipcache.
//
// Choice: the options that builds and CI jobs really use mean the same; hipcache's own are understood too. An option
// of the other tool without a counterpart is an error that says what to use instead, in the words of docs/switching.md.
// Rejected: to ignore such an option. A job that sets a limit would go on with another one.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_OTHER_TOOL_H
#define HIPCACHE_SRC_CLI_OPTIONS_OTHER_TOOL_H

#include <string>
#include <vector>

#include "cli/options/option_values.h"
#include "hipcache/base/result.h"
#include "hipcache/switching/other_tool.h"

namespace hipcache::cli {

// `arguments` without the program's name. Actions in the order in which they are to be performed: both tools take
// several at once (ccache -Cz).
Result<std::vector<Options>> parse_options_of(switching::Tool tool, const std::vector<std::string>& arguments);

// Begins as the tool's own, which build systems parse, and then says what it is.
std::string version_text(const Options& options);

}  // namespace hipcache::cli

#endif
