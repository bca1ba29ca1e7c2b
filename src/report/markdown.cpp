#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hipcache/report/summary.h"
#include "hipcache/stats/units.h"

namespace hipcache::report {
namespace {

using stats::MarkdownTable;
using stats::short_duration;

constexpr std::size_t kMostRows = 20;  // of a table, in a summary that is read at a glance

std::string head(const Summary& summary) {
  const stats::HitRate rate = summary.outcomes.rate();
  if (summary.outcomes.all() == 0) return "No request is in the event log since then.\n";
  const std::string first = rate.look_ups == 0
                                ? "Nothing was looked up."
                                : fmt::format("**{:.1f} %** came from the cache: {}.", rate.percent(), rate.counts());
  return first + fmt::format(
                     " Processor time saved: {}. Time of the steps that ran: {}. From the first request to the last "
                     "answer: {}.\n",
                     short_duration(summary.processor_saved_us), short_duration(summary.run_us),
                     short_duration(summary.end_us - summary.begin_us));
}

std::string notes(const Summary& summary) {
  const Evicted& evicted = summary.evicted;
  std::string text;
  if (summary.with_header.steps > 0)
    text += fmt::format("\n{} of the steps that ran used a wrapper header parsed before: {} of processor time less.\n",
                        summary.with_header.steps, short_duration(summary.with_header.saved_us));
  if (evicted.values > 0)
    text += fmt::format(
        "\n> The cache was too small for this build: {} were evicted while it ran. Set `HIPCACHE_MAX_SIZE={}`.\n",
        stats::size(evicted.bytes), evicted.advice);
  if (evicted.gone_steps > 0)
    text += fmt::format("\n> {} steps ran again only because their results were not stored any more: {}.\n",
                        evicted.gone_steps, short_duration(evicted.gone_us));
  if (summary.lost > 0)
    text += fmt::format("\n> The event log lost {} lines since the daemon started.\n", summary.lost);
  return text;
}

std::string requests(const Outcomes& outcomes) {
  MarkdownTable table({"Requests", "Number"});
  const auto row = [&](const char* name, std::uint64_t count) {
    if (count > 0) table.row({name, std::to_string(count)});
  };
  row("Hits", outcomes.hit);
  row("Partial hits", outcomes.partial);
  row("Misses", outcomes.miss);
  row("Of these, failed compiles", outcomes.failed);
  row("Passed through", outcomes.passthrough);
  row("Given up by the client", outcomes.aborted);
  return table.under("Requests");
}

std::string steps(const Summary& summary) {
  MarkdownTable table({"Step", "From the cache", "Run", "Failed", "Time of runs"});
  for (const StepRow& row : summary.steps)
    table.row({row.name, std::to_string(row.hit), std::to_string(row.run), std::to_string(row.failed),
               short_duration(row.run_us)});
  return table.under("By architecture");
}

std::string misses(const Summary& summary) {
  MarkdownTable table({"Object", "Step", "Why it ran", "Time"}, 3);
  for (std::size_t i = 0; i < std::min(kMostRows, summary.misses.size()); ++i) {
    const Miss& miss = summary.misses[i];
    const std::string why = miss.why.empty() ? "" : miss.why.front();
    const std::size_t more = miss.more + miss.why.size() - std::min<std::size_t>(1, miss.why.size());
    table.row({miss.object, miss.label, more == 0 ? why : why + fmt::format("; and {} more", more),
               short_duration(miss.duration_us)});
  }
  return table.under("Costliest steps that ran");
}

std::string directories(const Summary& summary) {
  MarkdownTable table({"Directory of the sources", "Requests", "Hits", "Time of runs", "Time spared"});
  for (std::size_t i = 0; i < std::min(kMostRows, summary.directories.size()); ++i) {
    const DirectoryRow& row = summary.directories[i];
    table.row({row.directory, std::to_string(row.outcomes.all()), std::to_string(row.outcomes.hit),
               short_duration(row.run_us), short_duration(row.saved_us)});
  }
  return table.under("By directory");
}

std::string engine(const stats::Executed& executed) {
  MarkdownTable table({"Steps sent", "Taken from workers", "Faster here", "Not proved", "Failed",
                       "Processor time saved", "Queue", "Staging", "Sent", "Received"},
                      0);
  if (executed.sent > 0)
    table.row({std::to_string(executed.sent), std::to_string(executed.won), std::to_string(executed.lost),
               std::to_string(executed.not_proved), std::to_string(executed.failed),
               short_duration(executed.execution_us), short_duration(executed.queue_us),
               short_duration(executed.staging_us), stats::size(executed.bytes_sent),
               stats::size(executed.bytes_received)});
  return table.under("Remote execution");
}

std::string tiers(const stats::Remote& remote) {
  MarkdownTable table({"Shared cache", "State", "Found", "Not found", "Failed"}, 2);
  for (const stats::Tier& tier : remote.tiers)
    table.row(
        {tier.url, tier.state, std::to_string(tier.hits), std::to_string(tier.misses), std::to_string(tier.errors)});
  return table.under("Shared caches");
}

std::string reasons(std::string_view heading, const std::map<std::string, std::uint64_t>& counts,
                    const std::map<std::string, std::string>& examples) {
  MarkdownTable table({"Reason", "Last", "Number"}, 2);
  for (const auto& [reason, count] : counts) {
    const auto example = examples.find(reason);
    table.row({reason, example == examples.end() ? "" : example->second, std::to_string(count)});
  }
  return table.under(heading);
}

}  // namespace

std::string to_markdown(const Summary& summary) {
  return "### hipcache: the last build\n\n" + head(summary) + notes(summary) + requests(summary.outcomes) +
         steps(summary) + misses(summary) + directories(summary) + engine(summary.executed) +
         reasons("Sent to workers in vain", summary.executed.why, summary.executed.why_detail) + tiers(summary.remote) +
         reasons("Passed through", summary.bypasses, summary.bypass_example) +
         reasons("Run and not stored", summary.not_stored, summary.not_stored_example);
}

}  // namespace hipcache::report
