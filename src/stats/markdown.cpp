#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/hit_rate.h"
#include "hipcache/stats/markdown_table.h"
#include "hipcache/stats/report.h"
#include "hipcache/stats/store_size.h"
#include "hipcache/stats/units.h"
#include "stats/remedy.h"

namespace hipcache::stats {
namespace {

std::string share(std::uint64_t part, std::uint64_t whole) {
  const std::string padded = percent(part, whole);
  return padded.substr(std::min(padded.find_first_not_of(' '), padded.size()));
}

std::string summary(const Snapshot& counts) {
  const HitRate rate = hit_rate_of(counts);
  if (rate.look_ups == 0) return "Nothing was looked up.\n";
  return fmt::format("**{:.1f} %** came from the cache: {}. Processor time saved: {}.\n", rate.percent(), rate.counts(),
                     duration(counts.processor_saved_us));
}

std::string requests(const Snapshot& counts) {
  MarkdownTable table({"Requests", "Number", "Share"});
  const auto row = [&](const char* name, std::uint64_t count) {
    if (count > 0) table.row({name, std::to_string(count), share(count, counts.compile_requests)});
  };
  row("Hits", counts.hit);
  row("Partial hits", counts.partial);
  row("Misses", counts.miss);
  row("Passed through", counts.passthrough);
  row("Given up by the client", counts.aborted);
  row("Failed compiles", counts.failed_compiles);
  row("Errors of the cache", counts.errors);
  return table.under("Requests");
}

std::string steps(const Snapshot& counts) {
  MarkdownTable table({"Step", "From the cache", "Run", "Share from the cache"});
  const auto row = [&](const std::string& name, const HitRun& step) {
    const std::uint64_t all = step.hit + step.run;
    if (all > 0) table.row({name, std::to_string(step.hit), std::to_string(step.run), share(step.hit, all)});
  };
  for (const auto& [arch, step] : counts.device) row("Device " + arch, step);
  row("Front end", counts.front);
  row("Back end", counts.back);
  row("Host", counts.host);
  row("Bundle", counts.bundle);
  row("Unbundle", counts.unbundle);
  row("Link", counts.link);
  row("Archive", counts.archive);
  return table.under("Steps by architecture");
}

std::string shared_caches(const Remote& remote) {
  MarkdownTable table(
      {"Shared cache", "State", "Found", "Not found", "Failed", "Median", "Read", "Written", "Writes failed"});
  for (const Tier& tier : remote.tiers)
    table.row({tier.url, tier.state, std::to_string(tier.hits), std::to_string(tier.misses),
               std::to_string(tier.errors), fmt::format("{:.1f} ms", static_cast<double>(tier.median_us) / 1000),
               size(tier.bytes_read), size(tier.bytes_written), std::to_string(tier.write_errors)});
  std::string text = table.under("Shared caches");
  if (remote.waiting + remote.failed > 0)
    text += fmt::format("\n{} results wait to be written, {} could not be written.\n", remote.waiting, remote.failed);
  return text;
}

std::string reasons(std::string_view heading, const std::map<std::string, std::uint64_t>& counts,
                    const std::map<std::string, std::string>& details) {
  MarkdownTable table({"Reason", "Number", "Last"});
  for (const auto& [reason, count] : counts) {
    const auto detail = details.find(reason);
    const std::string_view remedy = remedy_of(reason);
    table.row({remedy.empty() ? reason : fmt::format("{} ({})", reason, remedy), std::to_string(count),
               detail == details.end() ? "" : detail->second});
  }
  return table.under(heading);
}

}  // namespace

Result<std::string> to_markdown(std::string_view json) {
  const auto counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  const auto store = store_size_from_json(json);
  if (!store) return store.error();
  return "### hipcache\n\n" + summary(*counts) + requests(*counts) + steps(*counts) + shared_caches(counts->remote) +
         reasons("Not cached", counts->not_cached, counts->not_cached_detail) +
         reasons("Run and not stored", counts->not_stored, counts->not_stored_detail) +
         fmt::format("\nThe local store holds {} results in {}. Statistics since {}.\n", store->actions,
                     size(store->bytes_on_disk), date(counts->since));
}

}  // namespace hipcache::stats
