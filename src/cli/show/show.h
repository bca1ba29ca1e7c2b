// What hipcache's options show.
#ifndef HIPCACHE_SRC_CLI_SHOW_SHOW_H
#define HIPCACHE_SRC_CLI_SHOW_SHOW_H

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/control/control.h"
#include "cli/options/options.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/explanation.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/stats/counters.h"

namespace hipcache::cli {

struct Outcome {
  std::string text;          // for standard output
  Status status = done();    // an error that follows it
  int exit_code = 0;         // if there is none
  std::string warning = {};  // one line, for standard error
};

// hipcache --show-stats, in the form and the manner of the options. An error follows if the hit rate is below the
// limit.
Result<Outcome> show_stats(const Control& control, const Options& options);

// hipcache --report: the last build, from the daemon's event log and its statistics. Written into the file that the
// options name. Without a name, HTML goes to hipcache-report.html in the current directory, and the other forms to
// standard output. An error follows if the hit rate is below the limit.
Result<Outcome> show_report(const Control& control, const Options& options);

// One line "key = value  (origin)" per setting, or a JSON object that maps each key to {"value",
// "origin"}.
Result<std::string> show_config(const config::Lookup& variable, bool json);

// Whether text for people may have colours: on a terminal that is not "dumb", unless NO_COLOR is set
// (https://no-color.org). There is no option: ccache, sccache and ninja have none either.
bool shows_colour(int descriptor);

// hipcache --plan: asks the daemon what it would do with the command. Runs at most the driver's -###, as our child.
Result<std::string> show_plan(const Control& control, const std::vector<std::string>& command, bool json);

std::string plan_to_text(const protocol::PlanReport& plan);
std::string plan_to_json(const protocol::PlanReport& plan);

// hipcache --explain: asks the daemon why the command would be a miss. The same.
Result<Outcome> show_explanation(const Control& control, const std::vector<std::string>& command, bool json);

// What the request would be counted as (docs/statistics.md).
stats::Outcome forecast_of(const protocol::Explanation& explanation);

std::string explanation_to_text(const protocol::Explanation& explanation);
std::string explanation_to_json(const protocol::Explanation& explanation);

// hipcache --watch: what the daemon does, once a second. Starts the daemon if none runs. On a terminal the view is
// drawn anew in its place; elsewhere each second has a line. Returns after SIGINT, SIGTERM or SIGHUP with the last
// line, or with an error if the daemon has ended. The signals stay blocked.
Result<std::string> watch(const Control& control, const config::Settings& settings);

// Indented, with a final newline. Paths may not be UTF-8: invalid bytes are replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace hipcache::cli

#endif
