#include "hipcache/stats/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hipcache/stats/counters.h"
#include "stats/store_size.h"
#include "stats/units.h"

namespace hipcache::stats {
namespace {

// Lines of a name, a number and a remark; names are padded to the longest one.
class Lines {
 public:
  void add(std::string name, std::string value, std::string remark = "") {
    width_ = std::max(width_, name.size());
    lines_.push_back({std::move(name), std::move(value), std::move(remark)});
  }
  void count(std::string name, std::uint64_t value, std::string remark = "") {
    add(std::move(name), std::to_string(value), std::move(remark));
  }
  void title(std::string name) { add(std::move(name), ""); }

  std::string text() const {
    std::string text;
    for (const Line& line : lines_) {
      std::string row = fmt::format("{:<{}} {:>10} {}", line.name, width_ + 2, line.value, line.remark);
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
    return text;
  }

 private:
  struct Line {
    std::string name, value, remark;
  };
  std::vector<Line> lines_;
  std::size_t width_ = 0;
};

void add_reasons(Lines& lines, const std::map<std::string, std::uint64_t>& reasons,
                 const std::map<std::string, std::string>& details) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [reason, count] : sorted) {
    const auto detail = details.find(reason);
    lines.count("    " + reason, count, detail == details.end() ? "" : "last: " + detail->second);
  }
}

void add_requests(Lines& lines, const Snapshot& counts) {
  lines.count("Compile requests", counts.compile_requests);
  const auto outcome = [&](const char* name, std::uint64_t count) {
    lines.count(name, count, percent(count, counts.compile_requests));
  };
  outcome("  Hits", counts.hit);
  outcome("  Partial hits", counts.partial);
  outcome("  Misses", counts.miss);
  outcome("  Passed through", counts.passthrough);
  add_reasons(lines, counts.not_cached, counts.not_cached_detail);
  outcome("  Given up by the client", counts.aborted);
  lines.count("  Failed compiles", counts.failed_compiles);
}

void add_step(Lines& lines, const std::string& name, const HitRun& step) {
  const std::uint64_t all = step.hit + step.run;
  lines.count(name, all, all == 0 ? "" : fmt::format("{} {} run", percent(step.hit, all), step.run));
}

void add_if_any(Lines& lines, const std::string& name, const std::map<std::string, std::uint64_t>& reasons,
                const std::map<std::string, std::string>& details) {
  std::uint64_t all = 0;
  for (const auto& [reason, count] : reasons) all += count;
  if (all == 0) return;
  lines.count(name, all);
  add_reasons(lines, reasons, details);
}

void add_steps(Lines& lines, const Snapshot& counts) {
  HitRun device;
  for (const auto& [arch, step] : counts.device) {
    device.hit += step.hit;
    device.run += step.run;
  }
  lines.title("Steps, of them from the cache");
  add_step(lines, "  Device", device);
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
  lines.count("  Waited for another client", counts.waited_steps);
  std::uint64_t not_stored = 0;
  for (const auto& [reason, count] : counts.not_stored) not_stored += count;
  lines.count("  Run and not stored", not_stored);
  add_reasons(lines, counts.not_stored, counts.not_stored_detail);
  add_if_any(lines, "  Stored for one checkout alone", counts.tied, counts.tied_detail);
  add_if_any(lines, "  Back ends within the bundle", counts.bundled, counts.bundled_detail);
}

void add_audit(Lines& lines, const AuditedHits& audited) {
  if (audited.hits + audited.void_audits + audited.skipped == 0) return;
  lines.count("Hits audited", audited.hits);
  lines.count("  Found wrong", audited.differences);
  lines.count("  Void", audited.void_audits);
  lines.count("  Skipped", audited.skipped);
}

void add_store(Lines& lines, const Snapshot& counts, const StoreSize& store) {
  lines.title("Store");
  lines.count("  Actions", store.actions);
  lines.count("  Blobs", store.blobs);
  lines.add("  Values", size(store.bytes));
  lines.add("  On disk", size(store.bytes_on_disk));
  lines.count("  Evicted", counts.evicted);
  lines.count("  Dropped as damaged", counts.corrupt);
  if (counts.layers == 0 && counts.taken_over == 0) return;
  lines.count("  Other stores read", counts.layers);
  lines.count("  Results taken from them", counts.taken_over);
}

void add_remote(Lines& lines, const Remote& remote) {
  if (remote.tiers.empty() && remote.waiting + remote.written + remote.failed == 0) return;
  lines.title("Shared caches");
  lines.count("  Results waiting to be written", remote.waiting);
  lines.count("  Results written", remote.written);
  lines.count("  Results not written", remote.failed);
  for (const Tier& tier : remote.tiers) {
    lines.add("  " + tier.url, tier.state);
    lines.count("    Look-ups found", tier.hits, percent(tier.hits, tier.hits + tier.misses + tier.errors));
    lines.count("    Look-ups not found", tier.misses);
    if (tier.not_signed != 0) lines.count("      of them not signed", tier.not_signed);
    if (tier.untrusted != 0) lines.count("      of them signed by no trusted key", tier.untrusted);
    lines.count("    Look-ups failed", tier.errors);
    lines.add("    Median of a look-up", fmt::format("{:.1f} ms", static_cast<double>(tier.median_us) / 1000));
    lines.add("    Read", size(tier.bytes_read));
    lines.add("    Written", size(tier.bytes_written), fmt::format("{} values", tier.written));
    lines.count("    Writes failed", tier.write_errors);
  }
}

}  // namespace

Result<std::string> to_text(std::string_view json) {
  const auto counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  const auto store = store_size_from_json(json);
  if (!store) return store.error();
  Lines lines;
  add_requests(lines, *counts);
  lines.add("Time saved", duration(counts->time_saved_us));
  lines.count("Errors of the cache", counts->errors);
  add_steps(lines, *counts);
  add_audit(lines, counts->audited_hits);
  add_store(lines, *counts, *store);
  add_remote(lines, counts->remote);
  return "Statistics since " + date(counts->since) + "\n" + lines.text();
}

}  // namespace hipcache::stats
