#include "cli/show/show.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/events/event_log.h"
#include "hipcache/report/summary.h"
#include "hipcache/stats/counters.h"
#include "hipcache/stats/hit_rate.h"
#include "hipcache/stats/report.h"

namespace hipcache::cli {

namespace {

Result<std::string> formatted(std::string json, const Options& options) {
  const stats::TextStyle style{.all = options.verbose, .colour = shows_colour(STDOUT_FILENO)};
  const bool is_json = options.json();
  if (options.manner == Manner::ccache_counters)
    return stats::as_ccache_counters(json, is_json ? stats::CounterForm::json : stats::CounterForm::tab);
  if (options.manner == Manner::sccache)
    return is_json ? stats::as_sccache_json(json, std::string(version_of(Tool::sccache)))
                   : stats::as_sccache_text(json, style);
  if (options.manner == Manner::ccache && !is_json && !options.verbose) return stats::as_ccache_text(json, style);
  if (options.format == Format::text) return stats::to_text(json, style);
  if (options.format == Format::markdown) return stats::to_markdown(json);
  if (!json.ends_with('\n')) json += '\n';
  return json;
}

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
  return options.format == Format::text || options.format == Format::html ? "hipcache-report.html" : "-";
}

std::string counted(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " request" : " requests"); }

}  // namespace

Result<Outcome> show_stats(const Control& control, const Options& options) {
  const Result<std::string> json = control.ask(protocol::ControlKind::stats);
  if (!json) return json.error();
  Result<std::string> text = formatted(*json, options);
  if (!text) return text.error();
  return Outcome{std::move(*text), options.fail_under ? stats::check_hit_rate(*json, *options.fail_under) : done()};
}

// The daemon writes its events before it replies.
Result<Outcome> show_report(const Control& control, const Options& options) {
  const Result<std::string> statistics = control.ask(protocol::ControlKind::stats);
  if (!statistics) return statistics.error();
  const Result<stats::Snapshot> counts = stats::Snapshot::from_json(*statistics);
  if (!counts) return counts.error();
  Result<events::ReadEvents> log = events::read_event_files(control.daemon_directory());
  if (!log) return log.error();
  const report::Build build = report::build_of(std::move(*log), options.since_us);
  const report::Summary summary = report::summary_of(build, *counts);

  Outcome report{report_in(options.format, build, summary)};
  if (const std::string file = file_of(options); file != "-") {
    if (Status written = replace_file(file, report.text); !written) return written.error();
    report.text = file + ": " + counted(summary.outcomes.all()) + ", " + build.begins + "\n";
  }
  if (options.fail_under)
    report.status = stats::check_hit_rate(summary.outcomes.rate(), *options.fail_under, "in this build");
  return report;
}

Result<std::string> show_config(const config::Lookup& variable, bool json) {
  const Result<std::vector<config::Described>> settings = config::describe(variable);
  if (!settings) return settings.error();
  std::string text;
  nlohmann::ordered_json values;
  for (const config::Described& setting : *settings) {
    text += setting.key + " = " + setting.value + "  (" + setting.origin + ")\n";
    values[setting.key] = {{"value", setting.value}, {"origin", setting.origin}};
  }
  return json ? json_text(values) : text;
}

bool shows_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) == 1;
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', /*ensure_ascii=*/true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hipcache::cli
