#include "hipcache/stats/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/store_size.h"
#include "hipcache/stats/units.h"
#include "stats/lines.h"
#include "stats/summary.h"

namespace hipcache::stats {
namespace {

void add_reasons(Lines& lines, const std::map<std::string, std::uint64_t>& reasons,
                 const std::map<std::string, std::string>& details) {
  for (const auto& [reason, count] : sorted_reasons(reasons))
    lines.count("    " + reason, count, remark_on(reason, details));
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
  add_reasons(lines, counts.not_cached, counts.not_cached_detail);
  outcome("  Given up by the client", counts.aborted, Tone::plain);
  lines.count("  Failed compiles", counts.failed_compiles);
}

void add_if_any(Lines& lines, const std::string& name, const std::map<std::string, std::uint64_t>& reasons,
                const std::map<std::string, std::string>& details) {
  const std::uint64_t all = sum_of(reasons);
  if (all == 0) return;
  lines.count(name, all, "", Tone::doubtful);
  add_reasons(lines, reasons, details);
}

void add_steps(Lines& lines, const Snapshot& counts) {
  lines.title("Steps");
  add_step(lines, "  Device", sum_of(counts.device));
  for (const auto& [arch, step] : counts.device) add_step(lines, "    " + arch, step);
  add_step(lines, "    Front end", counts.front);
  add_step(lines, "    Back end", counts.back);
  add_step(lines, "    Back end audited", counts.audit);
  add_step(lines, "  Host", counts.host);
  add_step(lines, "  Bundle", counts.bundle);
  add_step(lines, "  Unbundle", counts.unbundle);
  add_step(lines, "  Link", counts.link);
  add_step(lines, "  Archive", counts.archive);
  add_step(lines, "  Probe", counts.probe);
  add_step(lines, "  Proof of deferred fatbin", counts.proof);
  add_step(lines, "  Proof of codegen split", counts.split_codegen_proof);
  lines.count("  Wrappers run", counts.wrappers);
  lines.count("  Waited for another client", counts.waited_steps);
  const std::uint64_t not_stored = sum_of(counts.not_stored);
  lines.count("  Run and not stored", not_stored, "", tone_if(not_stored, Tone::doubtful));
  add_reasons(lines, counts.not_stored, counts.not_stored_detail);
  add_if_any(lines, "  Stored for one checkout alone", counts.tied, counts.tied_detail);
  add_if_any(lines, "  Back ends within the bundle", counts.bundled, counts.bundled_detail);
  add_if_any(lines, "  One step for all architectures", counts.not_split, counts.not_split_detail);
}

void add_audit(Lines& lines, const AuditedHits& audited) {
  if (audited.hits + audited.void_audits + audited.skipped == 0) return;
  lines.count("Hits audited", audited.hits);
  lines.count("  Found wrong", audited.differences, "", tone_if(audited.differences, Tone::trouble));
  lines.count("  Void", audited.void_audits);
  lines.count("  Skipped", audited.skipped);
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
  add_store(lines, counts, store);
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
