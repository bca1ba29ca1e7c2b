#ifndef HIPCACHE_SRC_CLI_SHOW_SHOW_PLAN_H
#define HIPCACHE_SRC_CLI_SHOW_SHOW_PLAN_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/control/control.h"
#include "cli/options/option_values.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/explanation.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {

// hipcache --report: the last build, from the daemon's event log and its statistics.

inline constexpr const char* kReportFile = "hipcache-report.html";

struct Report {
  std::string text;      // for standard output: the report, or a line that says where it is
  Status rate = done();  // an error if the hit rate is below the limit that was given
};

// Writes the report into the file that the options name. Without a name, HTML goes to kReportFile in the current
// directory, and the other forms to standard output.
Result<Report> show_report(const Control& control, const Options& options);

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

// Indented, with a final newline. Paths may not be UTF-8: invalid bytes are replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', /*ensure_ascii=*/true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// One line "key = value  (origin)" per setting, or a JSON object that maps each key to {"value",
// "origin"}.
Result<std::string> show_config(const config::Lookup& variable, bool json);

// Whether text for people may have colours.

// True on a terminal that is not "dumb", unless NO_COLOR is set (https://no-color.org). There is no option: ccache,
// sccache and ninja have none either.
bool shows_colour(int descriptor);

// Asks the daemon what it would do with the command. Runs at most the driver's -###, as our child.
Result<std::string> show_plan(const Control& control, const std::vector<std::string>& command, bool json);

std::string plan_to_text(const protocol::PlanReport& plan);
std::string plan_to_json(const protocol::PlanReport& plan);

}  // namespace hipcache::cli

#endif
