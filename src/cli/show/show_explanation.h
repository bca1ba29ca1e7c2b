#ifndef HIPCACHE_SRC_CLI_SHOW_SHOW_EXPLANATION_H
#define HIPCACHE_SRC_CLI_SHOW_SHOW_EXPLANATION_H

#include <cstdint>
#include <string>
#include <vector>

#include "cli/control/control.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::cli {

// What the request would be counted as (docs/statistics.md).
enum class Forecast : std::uint8_t { hit, partial, miss, passthrough };

Forecast forecast_of(const protocol::Explanation& explanation);

// Exit codes of --explain. A partial hit is a miss: it runs a compiler.
inline constexpr int kExplainedMiss = 3;
inline constexpr int kExplainedPassThrough = 4;

struct ShownExplanation {
  std::string text;
  int exit_code = 0;
};

// Asks the daemon why the command would be a miss. Runs at most the driver's -###, as our child.
Result<ShownExplanation> show_explanation(const Control& control, const std::vector<std::string>& command, bool json);

std::string explanation_to_text(const protocol::Explanation& explanation);
std::string explanation_to_json(const protocol::Explanation& explanation);

}  // namespace hipcache::cli

#endif
