#include "hipcache/stats/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/units.h"
#include "stats/fields.h"
#include "stats/summary.h"

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
  for (const StepField& step : kStepFields) {
    if (step.makes) row(step.text, counts.*step.counts);
  }
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

std::string remote_execution(const Executed& executed) {
  MarkdownTable table(
      {"Steps sent", "Taken from workers", "Faster here", "Not proved", "Failed", "Processor time saved"});
  if (executed.sent > 0)
    table.row({std::to_string(executed.sent), std::to_string(executed.won), std::to_string(executed.lost),
               std::to_string(executed.not_proved), std::to_string(executed.failed), duration(executed.execution_us)});
  return table.under("Remote execution");
}

std::string reasons(const char* heading, const std::map<std::string, std::uint64_t>& counts,
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

std::string reasons(const Snapshot& counts, const ReasonField& field) {
  return reasons(field.text, counts.*field.counts, counts.*field.details);
}

}  // namespace

Result<std::string> to_markdown(std::string_view json) {
  const auto counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  const auto store = store_size_from_json(json);
  if (!store) return store.error();
  return "### hipcache\n\n" + summary(*counts) + requests(*counts) + steps(*counts) +
         remote_execution(counts->executed) +
         reasons("Not proved or failed there", counts->executed.why, counts->executed.why_detail) +
         shared_caches(counts->remote) + reasons(*counts, kNotCached) + reasons(*counts, kNotStored) +
         fmt::format("\nThe local store holds {} results in {}. Statistics since {}.\n", store->actions,
                     size(store->bytes_on_disk), date(counts->since));
}

namespace {

void add_reasons(Lines& lines, const Snapshot& counts, const ReasonField& field) {
  for (const auto& [reason, count] : sorted_reasons(counts.*field.counts))
    lines.count("    " + reason, count, remark_on(reason, counts.*field.details));
}

void add_requests(Lines& lines, const Snapshot& counts) {
  lines.count("Compile requests", counts.compile_requests);
  const auto outcome = [&](const char* name, std::uint64_t count, Tone tone) {
    lines.count(name, count, percent(count, counts.compile_requests), tone_if(count, tone));
  };
  outcome("  Hits", counts.hit, Tone::good);
  outcome("  Partial hits", counts.partial, Tone::good);
  lines.count("  Misses", counts.miss, percent(counts.miss, counts.compile_requests) + failed_among_misses(counts));
  outcome("  Passed through", counts.passthrough, Tone::doubtful);
  add_reasons(lines, counts, kNotCached);
  outcome("  Given up by the client", counts.aborted, Tone::plain);
  lines.count("  Failed compiles", counts.failed_compiles);
}

void add_sum_and_reasons(Lines& lines, const Snapshot& counts, const ReasonField& field) {
  const std::uint64_t all = sum_of(counts.*field.counts);
  lines.count(std::string("  ") + field.text, all, "", tone_if(all, Tone::doubtful));
  add_reasons(lines, counts, field);
}

void add_steps(Lines& lines, const Snapshot& counts) {
  lines.title("Steps");
  add_step(lines, "  Device", sum_of(counts.device));
  for (const auto& [arch, step] : counts.device) add_step(lines, "    " + arch, step);
  for (const StepField& step : kStepFields)
    add_step(lines, std::string(step.is_part_of_device ? "    " : "  ") + step.text, counts.*step.counts);
  lines.count("  Wrappers run", counts.wrappers);
  lines.count("  Waited for another client", counts.waited_steps);
  add_sum_and_reasons(lines, counts, kNotStored);
  for (const ReasonField& field : {kTied, kBundled, kNotSplit}) {
    if (sum_of(counts.*field.counts) > 0) add_sum_and_reasons(lines, counts, field);
  }
}

void add_audit(Lines& lines, const AuditedHits& audited) {
  if (audited.hits + audited.void_audits + audited.skipped == 0) return;
  lines.count("Hits audited", audited.hits);
  lines.count("  Found wrong", audited.differences, "", tone_if(audited.differences, Tone::trouble));
  lines.count("  Void", audited.void_audits);
  lines.count("  Skipped", audited.skipped);
}

void add_token_hits(Lines& lines, const TokenHits& hits) {
  if (hits.served > 0) lines.count("Hits by tokens", hits.served);
  add_token_hits_off(lines, hits);
}

void add_store(Lines& lines, const Snapshot& counts, const StoreSize& store) {
  add_place(lines, counts, store);
  lines.add("  Values", size(store.bytes));
  lines.count("  Actions", store.actions);
  lines.count("  Blobs", store.blobs);
  lines.count("  Evicted", counts.evicted, "", tone_if(counts.evicted, Tone::doubtful));
  lines.count("  Dropped as damaged", counts.corrupt, "", tone_if(counts.corrupt, Tone::trouble));
  if (counts.layers == 0 && counts.taken_over == 0) return;
  lines.count("  Other stores read", counts.layers);
  lines.count("  Results taken from them", counts.taken_over);
}

void add_executed(Lines& lines, const Executed& executed) {
  if (executed.sent == 0) return;
  lines.title("Remote execution");
  lines.count("  Steps sent", executed.sent);
  lines.count("  Taken from workers", executed.won, percent(executed.won, executed.sent),
              tone_if(executed.won, Tone::good));
  lines.add("    Processor time saved here", duration(executed.execution_us));
  lines.add("    Waited in the queue", duration(executed.queue_us));
  lines.add("    Staged", duration(executed.staging_us));
  lines.add("    Sent", size(executed.bytes_sent));
  lines.add("    Received", size(executed.bytes_received));
  lines.count("  Faster here", executed.lost);
  lines.count("  Not proved", executed.not_proved, "", tone_if(executed.not_proved, Tone::trouble));
  for (const auto& [path, count] : sorted_reasons(executed.paths)) lines.count("    " + path, count);
  lines.count("  Failed", executed.failed, "", tone_if(executed.failed, Tone::trouble));
  if (!executed.why.empty()) lines.title("  Why not proved or failed");
  for (const auto& [reason, count] : sorted_reasons(executed.why))
    lines.count("    " + reason, count, remark_on(reason, executed.why_detail));
  lines.count("  Found wrong by an audit", executed.differences, "", tone_if(executed.differences, Tone::trouble));
}

void add_remote(Lines& lines, const Remote& remote) {
  if (remote.tiers.empty() && remote.waiting + remote.written + remote.failed == 0) return;
  lines.title("Shared caches");
  lines.count("  Results waiting to be written", remote.waiting);
  lines.count("  Results written", remote.written);
  lines.count("  Results not written", remote.failed, "", tone_if(remote.failed, Tone::trouble));
  for (const Tier& tier : remote.tiers) {
    lines.add("  " + tier.url, tier.state, "", tone_of(tier));
    lines.count("    Look-ups found", tier.hits, percent(tier.hits, tier.hits + tier.misses + tier.errors));
    lines.count("    Look-ups not found", tier.misses);
    if (tier.not_signed != 0) lines.count("      of them not signed", tier.not_signed);
    if (tier.untrusted != 0) lines.count("      of them signed by no trusted key", tier.untrusted);
    lines.count("    Look-ups failed", tier.errors, "", tone_if(tier.errors, Tone::trouble));
    lines.add("    Median of a look-up", fmt::format("{:.1f} ms", static_cast<double>(tier.median_us) / 1000));
    lines.add("    Read", size(tier.bytes_read));
    lines.add("    Written", size(tier.bytes_written), fmt::format("{} values", tier.written));
    lines.count("    Writes failed", tier.write_errors, "", tone_if(tier.write_errors, Tone::trouble));
  }
}

Lines everything(const Snapshot& counts, const StoreSize& store) {
  Lines lines;
  add_hit_rate(lines, counts);
  add_time_saved(lines, counts);
  add_requests(lines, counts);
  lines.count("Errors of the cache", counts.errors, "", tone_if(counts.errors, Tone::trouble));
  add_steps(lines, counts);
  add_audit(lines, counts.audited_hits);
  add_token_hits(lines, counts.token_hits);
  add_store(lines, counts, store);
  add_executed(lines, counts.executed);
  add_remote(lines, counts.remote);
  return lines;
}

}  // namespace

std::string size_text(std::uint64_t bytes) { return size(bytes); }

Result<std::string> to_text(std::string_view json, TextStyle style) {
  const auto counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  const auto store = store_size_from_json(json);
  if (!store) return store.error();
  const std::string title = "Statistics since " + date(counts->since);
  if (style.all) return title + "\n" + everything(*counts, *store).text(style.colour);
  return title + " (-v shows all)\n" + summary_of(*counts, *store).text(style.colour);
}

}  // namespace hipcache::stats
