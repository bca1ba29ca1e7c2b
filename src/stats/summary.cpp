#include "stats/summary.h"

#include <fmt/format.h>

#include "hipcache/stats/units.h"
#include "stats/fields.h"

namespace hipcache::stats {

namespace {

constexpr const char* kPlain = "\x1b[0m";

const char* begin_of(Tone tone) {
  switch (tone) {
    case Tone::heading:
      return "\x1b[1m";
    case Tone::good:
      return "\x1b[32m";
    case Tone::doubtful:
      return "\x1b[33m";
    case Tone::trouble:
      return "\x1b[31m";
    case Tone::plain:
      break;
  }
  return "";
}

}  // namespace

std::string Lines::text(bool colour) const {
  std::string text;
  for (const Line& line : lines_) {
    std::string row = fmt::format("{:<{}} {:>10} {}", line.name, width_ + 2, line.value, line.remark);
    row.erase(row.find_last_not_of(' ') + 1);
    const bool is_toned = colour && line.tone != Tone::plain;
    text.append(is_toned ? begin_of(line.tone) : "").append(row).append(is_toned ? kPlain : "").append("\n");
  }
  return text;
}

namespace {

using Details = std::map<std::string, std::string>;
using Reasons = std::map<std::string, std::uint64_t>;

constexpr std::size_t kReasons = 2;
constexpr std::size_t kArchs = 3;

// From this share on a rate is good; below the other it is worth a look.
constexpr double kGood = 75, kDoubtful = 50;

Tone tone_of(const HitRate& rate) {
  if (rate.percent() >= kGood) return Tone::good;
  return rate.percent() < kDoubtful ? Tone::doubtful : Tone::heading;
}

void add_if_any(Lines& lines, const char* name, std::uint64_t count, std::string remark, Tone tone) {
  if (count > 0) lines.count(name, count, std::move(remark), tone);
}

// One line for all reasons, with the most frequent one.
void add_most_frequent(Lines& lines, const Snapshot& counts, const ReasonField& field) {
  const std::uint64_t all = sum_of(counts.*field.counts);
  if (all == 0) return;
  const auto [reason, count] = sorted_reasons(counts.*field.counts).front();
  const std::string remark = remark_on(reason, counts.*field.details);
  lines.count(field.text, all,
              reason + (count == all ? "" : fmt::format(" {}", count)) + (remark.empty() ? "" : ", " + remark),
              Tone::doubtful);
}

void add_requests(Lines& lines, const Snapshot& counts) {
  const auto share = [&](std::uint64_t count) { return percent(count, counts.compile_requests); };
  lines.count("Compile requests", counts.compile_requests);
  lines.count("  Hits", counts.hit, share(counts.hit), tone_if(counts.hit, Tone::good));
  add_if_any(lines, "  Partial hits", counts.partial, share(counts.partial), Tone::good);
  lines.count("  Misses", counts.miss, share(counts.miss) + failed_among_misses(counts));
  add_if_any(lines, "  Passed through", counts.passthrough, share(counts.passthrough), Tone::doubtful);
  auto reasons = sorted_reasons(counts.not_cached);
  const std::size_t most = counts.executed.sent == 0 ? kReasons : kReasons - 1;  // the engine has a line, too
  if (reasons.size() > most) reasons.resize(most);
  for (const auto& [reason, count] : reasons)
    lines.count("    " + reason, count, remark_on(reason, counts.not_cached_detail));
}

void add_devices(Lines& lines, const std::map<std::string, HitRun>& device) {
  const HitRun all = sum_of(device);
  if (all.hit + all.run == 0) return;
  add_step(lines, "Device steps", all);
  std::vector<std::pair<std::string, HitRun>> archs(device.begin(), device.end());
  std::stable_sort(archs.begin(), archs.end(), [](const auto& left, const auto& right) {
    return left.second.hit + left.second.run > right.second.hit + right.second.run;
  });
  const std::size_t shown = archs.size() == kArchs + 1 ? archs.size() : std::min(archs.size(), kArchs);
  for (std::size_t i = 0; i < shown; ++i) add_step(lines, "  " + archs[i].first, archs[i].second);
  if (shown < archs.size()) lines.add("  Further architectures", std::to_string(archs.size() - shown));
}

void add_other_steps(Lines& lines, const Snapshot& counts) {
  const HitRun links{.hit = counts.link.hit + counts.archive.hit, .run = counts.link.run + counts.archive.run};
  if (counts.host.hit + counts.host.run > 0) add_step(lines, "Host steps", counts.host);
  if (links.hit + links.run > 0) add_step(lines, "Links and archives", links);
}

void add_engine(Lines& lines, const Executed& executed) {
  if (executed.sent == 0) return;
  std::string remark =
      fmt::format("{} of {} sent, {} of processor time saved here", percent(executed.won, executed.sent), executed.sent,
                  duration(executed.execution_us));
  if (!executed.why.empty()) {
    const auto [reason, count] = sorted_reasons(executed.why).front();
    remark += fmt::format("; {} of no use: {} {}", executed.not_proved + executed.failed, reason, count);
  }
  lines.count("Taken from workers", executed.won, remark, executed.differences > 0 ? Tone::trouble : Tone::plain);
}

void add_tiers(Lines& lines, const std::vector<Tier>& tiers) {
  if (tiers.empty()) return;
  const Tier& first = tiers.front();
  const std::string found = percent(first.hits, first.hits + first.misses + first.errors);
  std::string remark = first.url + ": " + first.state;
  if (!found.empty()) remark += "," + found + " found";
  if (tiers.size() > 1) remark += fmt::format(" (and {} more)", tiers.size() - 1);
  lines.count("Shared caches", tiers.size(), remark, tone_of(first));
}

}  // namespace

std::string failed_among_misses(const Snapshot& counts) {
  return counts.failed_compiles == 0 ? "" : fmt::format("  {} of them failed to compile", counts.failed_compiles);
}

std::string remark_on(const std::string& reason, const Details& details) {
  std::string remark(remedy_of(reason));
  const auto detail = details.find(reason);
  if (detail != details.end()) remark += (remark.empty() ? "last: " : "; last: ") + detail->second;
  return remark;
}

Tone tone_of(const Tier& tier) { return tier.state == "ok" ? Tone::good : Tone::trouble; }

std::vector<std::pair<std::string, std::uint64_t>> sorted_reasons(const Reasons& reasons) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::uint64_t sum_of(const Reasons& reasons) {
  std::uint64_t all = 0;
  for (const auto& [reason, count] : reasons) all += count;
  return all;
}

HitRun sum_of(const std::map<std::string, HitRun>& steps) {
  HitRun all;
  for (const auto& [name, step] : steps) all = {all.hit + step.hit, all.run + step.run};
  return all;
}

void add_step(Lines& lines, const std::string& name, const HitRun& step) {
  const std::uint64_t all = step.hit + step.run;
  lines.count(name, all, all == 0 ? "" : fmt::format("{} from the cache, {} run", percent(step.hit, all), step.run));
}

void add_hit_rate(Lines& lines, const Snapshot& counts) {
  const HitRate rate = hit_rate_of(counts);
  if (rate.look_ups == 0)
    return lines.add("Hit rate", "-",
                     counts.failed_compiles == 0 ? " nothing was looked up" : " nothing counts: failed compiles do not",
                     Tone::heading);
  lines.add("Hit rate", fmt::format("{:.1f} %", rate.percent()), " " + rate.counts(), tone_of(rate));
}

void add_time_saved(Lines& lines, const Snapshot& counts) {
  lines.add("Processor time saved", duration(counts.processor_saved_us));
}

void add_outcome_of_steps(Lines& lines, const Snapshot& counts) {
  add_devices(lines, counts.device);
  add_other_steps(lines, counts);
  for (const ReasonField& field : {kNotStored, kTied, kNotSplit}) add_most_frequent(lines, counts, field);
}

void add_token_hits_off(Lines& lines, const TokenHits& hits) {
  if (!hits.off.empty()) lines.add("Hits by tokens are", "off", " found wrong: " + hits.off, Tone::trouble);
}

void add_place(Lines& lines, const Snapshot& counts, const StoreSize& store) {
  lines.add("Store", "", counts.directory, Tone::heading);
  const bool is_limited = counts.max_bytes > 0;
  lines.add("  On disk", size(store.bytes_on_disk),
            is_limited ? fmt::format("{} of {}", percent(store.bytes_on_disk, counts.max_bytes), size(counts.max_bytes))
                       : " no limit");
}

Lines summary_of(const Snapshot& counts, const StoreSize& store) {
  Lines lines;
  add_hit_rate(lines, counts);
  add_time_saved(lines, counts);
  add_requests(lines, counts);
  add_outcome_of_steps(lines, counts);
  if (counts.errors > 0) lines.count("Errors of the cache", counts.errors, "", Tone::trouble);
  add_token_hits_off(lines, counts.token_hits);
  add_place(lines, counts, store);
  if (counts.layers > 0)
    lines.count("  Other stores read", counts.layers, fmt::format(" {} results taken from them", counts.taken_over));
  add_engine(lines, counts.executed);
  add_tiers(lines, counts.remote.tiers);
  return lines;
}

}  // namespace hipcache::stats
