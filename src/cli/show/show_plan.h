#ifndef HIPCACHE_SRC_CLI_SHOW_SHOW_PLAN_H
#define HIPCACHE_SRC_CLI_SHOW_SHOW_PLAN_H

#include <string>
#include <vector>

#include "cli/control/control.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {

// Asks the daemon what it would do with the command. Runs at most the driver's -###, as our child.
Result<std::string> show_plan(const Control& control, const std::vector<std::string>& command, bool json);

std::string plan_to_text(const protocol::PlanReport& plan);
std::string plan_to_json(const protocol::PlanReport& plan);

}  // namespace hipcache::cli

#endif
