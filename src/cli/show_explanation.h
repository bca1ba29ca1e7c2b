#ifndef HIPCACHE_SRC_CLI_SHOW_EXPLANATION_H
#define HIPCACHE_SRC_CLI_SHOW_EXPLANATION_H

#include <string>
#include <vector>

#include "cli/control.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::cli {

// Asks the daemon why the command would be a miss. Runs at most the driver's -###, as our child.
Result<std::string> show_explanation(const Control& control, const std::vector<std::string>& command, bool json);

std::string explanation_to_text(const protocol::Explanation& explanation);
std::string explanation_to_json(const protocol::Explanation& explanation);

}  // namespace hipcache::cli

#endif
