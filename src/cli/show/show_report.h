// hipcache --report: the last build, from the daemon's event log and its statistics.
#ifndef HIPCACHE_SRC_CLI_SHOW_SHOW_REPORT_H
#define HIPCACHE_SRC_CLI_SHOW_SHOW_REPORT_H

#include <string>

#include "cli/control/control.h"
#include "cli/options/option_values.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

inline constexpr const char* kReportFile = "hipcache-report.html";

struct Report {
  std::string text;      // for standard output: the report, or a line that says where it is
  Status rate = done();  // an error if the hit rate is below the limit that was given
};

// Writes the report into the file that the options name. Without a name, HTML goes to kReportFile in the current
// directory, and the other forms to standard output.
Result<Report> show_report(const Control& control, const Options& options);

}  // namespace hipcache::cli

#endif
