#include "cli/show/show_report.h"

#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/events/event_files.h"
#include "hipcache/report/build.h"
#include "hipcache/report/html.h"
#include "hipcache/report/json.h"
#include "hipcache/report/markdown.h"
#include "hipcache/report/summary.h"
#include "hipcache/report/trace.h"
#include "hipcache/stats/counters.h"
#include "hipcache/stats/hit_rate.h"

namespace hipcache::cli {
namespace {

std::string report_in(Format format, const report::Build& build, const report::Summary& summary) {
  switch (format) {
    case Format::json:
      return report::to_json(summary);
    case Format::markdown:
      return report::to_markdown(summary);
    case Format::trace:
      return report::to_trace(build);
    case Format::text:  // the default of all options
    case Format::html:
      break;
  }
  return report::to_html(build, summary);
}

std::string file_of(const Options& options) {
  if (!options.value.empty()) return options.value;
  return options.format == Format::text || options.format == Format::html ? kReportFile : "-";
}

std::string counted(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " request" : " requests"); }

}  // namespace

// The daemon writes its events before it replies.
Result<Report> show_report(const Control& control, const Options& options) {
  const Result<std::string> statistics = control.ask(protocol::ControlKind::stats);
  if (!statistics) return statistics.error();
  const Result<stats::Snapshot> counts = stats::Snapshot::from_json(*statistics);
  if (!counts) return counts.error();
  Result<events::ReadEvents> log = events::read_event_files(control.daemon_directory());
  if (!log) return log.error();
  const report::Build build = report::build_of(std::move(*log), options.since_us);
  const report::Summary summary = report::summary_of(build, *counts);

  Report report{report_in(options.format, build, summary)};
  if (const std::string file = file_of(options); file != "-") {
    if (Status written = replace_file(file, report.text); !written) return written.error();
    report.text = file + ": " + counted(summary.outcomes.all()) + ", " + build.begins + "\n";
  }
  if (options.fail_under)
    report.rate = stats::check_hit_rate(summary.outcomes.rate(), *options.fail_under, "in this build");
  return report;
}

}  // namespace hipcache::cli
