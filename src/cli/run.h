// Runs hipcache's own options: from the words typed to the exit code.
#ifndef HIPCACHE_SRC_CLI_RUN_H
#define HIPCACHE_SRC_CLI_RUN_H

#include <string>
#include <vector>

#include "cli/options/other_tool.h"
#include "hipcache/client/timeouts.h"

namespace hipcache::cli {

// Returns 0, or 1 with one line on stderr, or 2 with one line for invalid options; for --explain also the codes of
// show_explanation.h. `tool`: in whose place hipcache was called.
int run(const std::vector<std::string>& arguments, client::Timeouts timeouts, Tool tool = Tool::none);

}  // namespace hipcache::cli

#endif
