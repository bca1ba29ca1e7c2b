#include "hipcache/stats/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/hit_rate.h"
#include "hipcache/stats/units.h"
#include "stats/fields.h"

namespace hipcache::stats {

namespace {

using nlohmann::ordered_json;
using Details = std::map<std::string, std::string>;
using Reasons = std::map<std::string, std::uint64_t>;

struct Statistics {
  Snapshot counts;
  StoreSize store;

  std::uint64_t misses() const { return counts.miss + counts.partial; }
  std::uint64_t looked_up() const { return counts.hit + misses(); }
};

Result<Statistics> read(std::string_view json) {
  Result<Snapshot> counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  const Result<StoreSize> store = store_size_from_json(json);
  if (!store) return store.error();
  return Statistics{std::move(*counts), *store};
}

// Aligned lines of a name, a number and a remark.

// How a line stands out on a terminal.
// `good`: the cache did its work. `doubtful`: worth a look. `trouble`: something is wrong.
enum class Tone : std::uint8_t { plain, heading, good, doubtful, trouble };

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

class Lines {
 public:
  void add(std::string name, std::string value, std::string remark = "", Tone tone = Tone::plain) {
    width_ = std::max(width_, name.size());
    lines_.push_back({std::move(name), std::move(value), std::move(remark), tone});
  }
  void count(std::string name, std::uint64_t value, std::string remark = "", Tone tone = Tone::plain) {
    add(std::move(name), std::to_string(value), std::move(remark), tone);
  }
  void title(std::string name) { add(std::move(name), "", "", Tone::heading); }

  // Names are padded to the longest one. Each line ends with a newline.
  std::string text(bool colour) const {
    std::string text;
    for (const Line& line : lines_) {
      std::string row = fmt::format("{:<{}} {:>10} {}", line.name, width_ + 2, line.value, line.remark);
      row.erase(row.find_last_not_of(' ') + 1);
      const bool is_toned = colour && line.tone != Tone::plain;
      text.append(is_toned ? begin_of(line.tone) : "").append(row).append(is_toned ? kPlain : "").append("\n");
    }
    return text;
  }

 private:
  struct Line {
    std::string name, value, remark;
    Tone tone = Tone::plain;
  };
  std::vector<Line> lines_;
  std::size_t width_ = 0;
};

// The tone if there is any.
Tone tone_if(std::uint64_t count, Tone tone) { return count == 0 ? Tone::plain : tone; }

// What the user can do about a reason; empty if its detail or docs/coverage.md says more.
std::string_view remedy_of(std::string_view reason) {
  if (reason == "clock") return "set SOURCE_DATE_EPOCH, or do without __DATE__ and __TIME__";
  if (reason == "native-target") return "name the architecture, as --offload-arch=gfx906";
  return "";
}

// That, and "last: what happened"; each only if it is known.
std::string remark_on(const std::string& reason, const Details& details) {
  std::string remark(remedy_of(reason));
  const auto detail = details.find(reason);
  if (detail != details.end()) remark += (remark.empty() ? "last: " : "; last: ") + detail->second;
  return remark;
}

// The largest number first.
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

constexpr std::size_t kAll = static_cast<std::size_t>(-1);

void add_reasons(Lines& lines, const Reasons& counts, const Details& details, std::size_t most = kAll) {
  auto reasons = sorted_reasons(counts);
  if (reasons.size() > most) reasons.resize(most);
  for (const auto& [reason, count] : reasons) lines.count("    " + reason, count, remark_on(reason, details));
}

// A step's number, share of hits and runs.
void add_step(Lines& lines, const std::string& name, const HitRun& step) {
  const std::uint64_t all = step.hit + step.run;
  lines.count(name, all, all == 0 ? "" : fmt::format("{} from the cache, {} run", percent(step.hit, all), step.run));
}

// From this share on a rate is good; below the other it is worth a look.
constexpr double kGood = 75, kDoubtful = 50;

Tone tone_of(const HitRate& rate) {
  if (rate.percent() >= kGood) return Tone::good;
  return rate.percent() < kDoubtful ? Tone::doubtful : Tone::heading;
}

void add_hit_rate(Lines& lines, const Snapshot& counts) {
  const HitRate rate = hit_rate_of(counts);
  if (rate.look_ups == 0)
    return lines.add("Hit rate", "-",
                     counts.failed_compiles == 0 ? " nothing was looked up" : " nothing counts: failed compiles do not",
                     Tone::heading);
  lines.add("Hit rate", fmt::format("{:.1f} %", rate.percent()), " " + rate.counts(), tone_of(rate));
}

Tone tone_of(const Tier& tier) { return tier.state == "ok" ? Tone::good : Tone::trouble; }

constexpr std::size_t kReasons = 2;  // on one screen
constexpr std::size_t kArchs = 3;

// `all`: also what is zero, and every reason.
void add_requests(Lines& lines, const Snapshot& counts, bool all) {
  const auto share = [&](std::uint64_t count) { return percent(count, counts.compile_requests); };
  const auto outcome = [&](const char* name, std::uint64_t count, Tone tone) {
    if (all || count > 0) lines.count(name, count, share(count), tone_if(count, tone));
  };
  lines.count("Compile requests", counts.compile_requests);
  lines.count("  Hits", counts.hit, share(counts.hit), tone_if(counts.hit, Tone::good));
  outcome("  Partial hits", counts.partial, Tone::good);
  // A failed compile is one of them, and does not count in the hit rate.
  lines.count(
      "  Misses", counts.miss,
      share(counts.miss) +
          (counts.failed_compiles == 0 ? "" : fmt::format("  {} of them failed to compile", counts.failed_compiles)));
  outcome("  Passed through", counts.passthrough, Tone::doubtful);
  const std::size_t most = counts.executed.sent == 0 ? kReasons : kReasons - 1;  // the engine has a line, too
  add_reasons(lines, counts.not_cached, counts.not_cached_detail, all ? kAll : most);
  if (!all) return;
  outcome("  Given up by the client", counts.aborted, Tone::plain);
  lines.count("  Failed compiles", counts.failed_compiles);
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

// What came of the steps: by architecture, of the others, and why some were not stored.
void add_outcome_of_steps(Lines& lines, const Snapshot& counts) {
  add_devices(lines, counts.device);
  const HitRun links{.hit = counts.link.hit + counts.archive.hit, .run = counts.link.run + counts.archive.run};
  if (counts.host.hit + counts.host.run > 0) add_step(lines, "Host steps", counts.host);
  if (links.hit + links.run > 0) add_step(lines, "Links and archives", links);
  for (const ReasonField& field : {kNotStored, kTied, kNotSplit}) add_most_frequent(lines, counts, field);
}

// One line of a screen.
void add_wrapper_headers(Lines& lines, const WrapperHeaders& headers) {
  if (headers.used == 0) return;
  lines.count("With a wrapper header", headers.used,
              fmt::format("front ends, {} of processor time saved", duration(headers.saved_us)),
              tone_if(headers.differences, Tone::trouble));
}

void add_token_hits_off(Lines& lines, const TokenHits& hits) {
  if (!hits.off.empty()) lines.add("Hits by tokens are", "off", " found wrong: " + hits.off, Tone::trouble);
}

void add_place(Lines& lines, const Statistics& all) {
  const Snapshot& counts = all.counts;
  const StoreSize& store = all.store;
  lines.add("Store", "", counts.directory, Tone::heading);
  const bool is_limited = counts.max_bytes > 0;
  lines.add("  On disk", size(store.bytes_on_disk),
            is_limited ? fmt::format("{} of {}", percent(store.bytes_on_disk, counts.max_bytes), size(counts.max_bytes))
                       : " no limit");
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

// With the title, what a terminal of 24 lines shows: leaves out what is zero, and counts what does not fit.
Lines summary_of(const Statistics& all) {
  const Snapshot& counts = all.counts;
  Lines lines;
  add_hit_rate(lines, counts);
  lines.add("Processor time saved", duration(counts.processor_saved_us));
  add_requests(lines, counts, false);
  add_outcome_of_steps(lines, counts);
  add_wrapper_headers(lines, counts.wrapper_headers);
  if (counts.errors > 0) lines.count("Errors of the cache", counts.errors, "", Tone::trouble);
  add_token_hits_off(lines, counts.token_hits);
  add_place(lines, all);
  if (counts.layers > 0)
    lines.count("  Other stores read", counts.layers, fmt::format(" {} results taken from them", counts.taken_over));
  add_engine(lines, counts.executed);
  add_tiers(lines, counts.remote.tiers);
  return lines;
}

void add_sum_and_reasons(Lines& lines, const Snapshot& counts, const ReasonField& field) {
  const std::uint64_t all = sum_of(counts.*field.counts);
  lines.count(std::string("  ") + field.text, all, "", tone_if(all, Tone::doubtful));
  add_reasons(lines, counts.*field.counts, counts.*field.details);
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

void add_all_of_wrapper_headers(Lines& lines, const Snapshot& counts) {
  const WrapperHeaders& headers = counts.wrapper_headers;
  const std::uint64_t without = sum_of(counts.*kWithoutHeader.counts);
  if (headers.made + headers.used + without == 0) return;
  lines.title("Wrapper headers");
  lines.count("  Made", headers.made);
  lines.count("  Front ends that used one", headers.used);
  lines.add("    Processor time saved", duration(headers.saved_us));
  lines.count("  Compiled again without", headers.again);
  lines.count("  Audited", headers.audited);
  lines.count("    Found wrong", headers.differences, "", tone_if(headers.differences, Tone::trouble));
  if (without > 0) add_sum_and_reasons(lines, counts, kWithoutHeader);
}

void add_audit(Lines& lines, const AuditedHits& audited) {
  if (audited.hits + audited.void_audits + audited.skipped == 0) return;
  lines.count("Hits audited", audited.hits);
  lines.count("  Found wrong", audited.differences, "", tone_if(audited.differences, Tone::trouble));
  lines.count("  Void", audited.void_audits);
  lines.count("  Skipped", audited.skipped);
}

void add_store(Lines& lines, const Statistics& all) {
  const Snapshot& counts = all.counts;
  const StoreSize& store = all.store;
  add_place(lines, all);
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
  add_reasons(lines, executed.why, executed.why_detail);
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
    lines.add("    Median of a look-up", milliseconds(tier.median_us));
    lines.add("    Read", size(tier.bytes_read));
    lines.add("    Written", size(tier.bytes_written), fmt::format("{} values", tier.written));
    lines.count("    Writes failed", tier.write_errors, "", tone_if(tier.write_errors, Tone::trouble));
  }
}

Lines everything(const Statistics& all) {
  const Snapshot& counts = all.counts;
  Lines lines;
  add_hit_rate(lines, counts);
  lines.add("Processor time saved", duration(counts.processor_saved_us));
  add_requests(lines, counts, true);
  lines.count("Errors of the cache", counts.errors, "", tone_if(counts.errors, Tone::trouble));
  add_steps(lines, counts);
  add_all_of_wrapper_headers(lines, counts);
  add_audit(lines, counts.audited_hits);
  if (counts.token_hits.served > 0) lines.count("Hits by tokens", counts.token_hits.served);
  add_token_hits_off(lines, counts.token_hits);
  add_store(lines, all);
  add_executed(lines, counts.executed);
  add_remote(lines, counts.remote);
  return lines;
}

// Of a table of Markdown.
std::string share(std::uint64_t part, std::uint64_t whole) {
  const std::string padded = percent(part, whole);
  return padded.substr(std::min(padded.find_first_not_of(' '), padded.size()));
}

std::string hit_rate_line(const Snapshot& counts) {
  const HitRate rate = hit_rate_of(counts);
  if (rate.look_ups == 0) return "Nothing was looked up.\n";
  return fmt::format("**{:.1f} %** came from the cache: {}. Processor time saved: {}.\n", rate.percent(), rate.counts(),
                     duration(counts.processor_saved_us));
}

std::string requests_table(const Snapshot& counts) {
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

std::string steps_table(const Snapshot& counts) {
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

std::string shared_caches_table(const Remote& remote) {
  MarkdownTable table(
      {"Shared cache", "State", "Found", "Not found", "Failed", "Median", "Read", "Written", "Writes failed"});
  for (const Tier& tier : remote.tiers)
    table.row({tier.url, tier.state, std::to_string(tier.hits), std::to_string(tier.misses),
               std::to_string(tier.errors), milliseconds(tier.median_us), size(tier.bytes_read),
               size(tier.bytes_written), std::to_string(tier.write_errors)});
  std::string text = table.under("Shared caches");
  if (remote.waiting + remote.failed > 0)
    text += fmt::format("\n{} results wait to be written, {} could not be written.\n", remote.waiting, remote.failed);
  return text;
}

std::string execution_table(const Executed& executed) {
  MarkdownTable table(
      {"Steps sent", "Taken from workers", "Faster here", "Not proved", "Failed", "Processor time saved"});
  if (executed.sent > 0)
    table.row({std::to_string(executed.sent), std::to_string(executed.won), std::to_string(executed.lost),
               std::to_string(executed.not_proved), std::to_string(executed.failed), duration(executed.execution_us)});
  return table.under("Remote execution");
}

std::string reasons_table(const char* heading, const std::map<std::string, std::uint64_t>& counts,
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

std::string reasons_table(const Snapshot& counts, const ReasonField& field) {
  return reasons_table(field.text, counts.*field.counts, counts.*field.details);
}

constexpr const char* kLanguage = "C/C++";  // hits and misses are not counted by language

// "/ 204 (95.10%)"
std::string of_whole(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("/ {} ({:5.2f}%)", whole, share);
}

double gigabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

// Times that hipcache does not count.
ordered_json no_time() { return {{"secs", 0}, {"nanos", 0}}; }

ordered_json by_language(std::uint64_t count) {
  ordered_json counts = ordered_json::object();
  if (count > 0) counts[kLanguage] = count;
  return {{"counts", counts}, {"adv_counts", counts}};
}

std::uint64_t runs(const Snapshot& counts) { return sum_of(counts.device).run + counts.host.run; }

std::uint64_t write_errors(const Remote& remote) {
  std::uint64_t all = 0;
  for (const Tier& tier : remote.tiers) all += tier.write_errors;
  return all;
}

}  // namespace

std::string size_text(std::uint64_t bytes) { return size(bytes); }

Result<std::string> to_text(std::string_view json, TextStyle style) {
  const Result<Statistics> all = read(json);
  if (!all) return all.error();
  const std::string title = "Statistics since " + date(all->counts.since);
  if (style.all) return title + "\n" + everything(*all).text(style.colour);
  return title + " (-v shows all)\n" + summary_of(*all).text(style.colour);
}

Result<std::string> to_markdown(std::string_view json) {
  const Result<Statistics> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  return "### hipcache\n\n" + hit_rate_line(counts) + requests_table(counts) + steps_table(counts) +
         execution_table(counts.executed) +
         reasons_table("Not proved or failed there", counts.executed.why, counts.executed.why_detail) +
         shared_caches_table(counts.remote) + reasons_table(counts, kNotCached) + reasons_table(counts, kNotStored) +
         fmt::format("\nThe local store holds {} results in {}. Statistics since {}.\n", all->store.actions,
                     size(all->store.bytes_on_disk), date(counts.since));
}

Result<std::string> as_ccache_text(std::string_view json, TextStyle style) {
  const Result<Statistics> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  const std::uint64_t calls = counts.compile_requests;
  Lines lines;
  lines.count("Cacheable calls:", all->looked_up(), of_whole(all->looked_up(), calls));
  lines.count("  Hits:", counts.hit, of_whole(counts.hit, all->looked_up()), tone_if(counts.hit, Tone::good));
  lines.count("    Direct:", counts.hit, of_whole(counts.hit, counts.hit));
  lines.count("    Preprocessed:", 0, of_whole(0, counts.hit));
  lines.count("  Misses:", all->misses(), of_whole(all->misses(), all->looked_up()));
  lines.count("Uncacheable calls:", counts.passthrough, of_whole(counts.passthrough, calls),
              tone_if(counts.passthrough, Tone::doubtful));
  lines.title("Local storage:");
  const std::uint64_t used = all->store.bytes_on_disk;
  const double share = counts.max_bytes == 0 ? 0 : 100 * gigabytes(used) / gigabytes(counts.max_bytes);
  lines.add("  Cache size (GB):", fmt::format("{:.2f}", gigabytes(used)),
            fmt::format("/ {:.2f} ({:5.2f}%)", gigabytes(counts.max_bytes), share));
  add_hit_rate(lines, counts);
  add_outcome_of_steps(lines, counts);
  return lines.text(style.colour);
}

Result<std::string> as_ccache_counters(std::string_view json, CounterForm form) {
  const Result<Statistics> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  const ordered_json counters = {
      {"cache_miss", all->misses() - std::min(all->misses(), counts.failed_compiles)},
      {"cache_size_kibibyte", all->store.bytes_on_disk / 1024},
      {"compile_failed", counts.failed_compiles},
      {"direct_cache_hit", counts.hit},
      {"files_in_cache", all->store.blobs},
      {"internal_error", counts.errors},
      {"max_cache_size_kibibyte", counts.max_bytes / 1024},
      {"preprocessed_cache_hit", 0},
      {"stats_updated_timestamp", static_cast<std::uint64_t>(std::time(nullptr))},
      {"stats_zeroed_timestamp", counts.since},
      {"unsupported_compiler_option", counts.passthrough},
  };
  if (form == CounterForm::json) return counters.dump(2) + "\n";
  std::string text;
  for (const auto& [name, value] : counters.items()) text += fmt::format("{}\t{}\n", name, value.dump());
  return text;
}

Result<std::string> as_sccache_text(std::string_view json, TextStyle style) {
  const Result<Statistics> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  Lines lines;
  lines.count("Compile requests", counts.compile_requests);
  lines.count("Compile requests executed", all->looked_up());
  lines.count("Cache hits", counts.hit, "", tone_if(counts.hit, Tone::good));
  lines.count("Cache misses", all->misses());
  lines.add("Cache hits rate", fmt::format("{:.2f}", hit_rate_of(counts).percent()), "%");
  lines.count("Cache errors", counts.errors, "", tone_if(counts.errors, Tone::trouble));
  lines.count("Cache write errors", write_errors(counts.remote));
  lines.count("Compilations", runs(counts));
  lines.count("Compilation failures", counts.failed_compiles);
  lines.count("Non-cacheable compilations", sum_of(counts.not_stored));
  lines.count("Non-cacheable calls", counts.passthrough, "", tone_if(counts.passthrough, Tone::doubtful));
  lines.add("Cache location", "Local", "disk: \"" + counts.directory + "\"");
  lines.add("Cache size", size(all->store.bytes_on_disk));
  lines.add("Max cache size", counts.max_bytes == 0 ? "no limit" : size(counts.max_bytes));
  add_hit_rate(lines, counts);
  add_outcome_of_steps(lines, counts);
  return lines.text(style.colour);
}

Result<std::string> as_sccache_json(std::string_view json, std::string_view version) {
  const Result<Statistics> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  const ordered_json root = {
      {"stats",
       {{"compile_requests", counts.compile_requests},
        {"requests_unsupported_compiler", 0},
        {"requests_not_compile", 0},
        {"requests_not_cacheable", counts.passthrough},
        {"requests_executed", all->looked_up()},
        {"cache_errors", by_language(counts.errors)},
        {"cache_hits", by_language(counts.hit)},
        {"cache_misses", by_language(all->misses())},
        {"cache_timeouts", 0},
        {"cache_read_errors", counts.corrupt},
        {"non_cacheable_compilations", sum_of(counts.not_stored)},
        {"forced_recaches", 0},
        {"cache_write_errors", write_errors(counts.remote)},
        {"cache_writes", counts.remote.written},
        {"cache_write_duration", no_time()},
        {"cache_read_hit_duration", no_time()},
        {"compilations", runs(counts)},
        {"compiler_write_duration", no_time()},
        {"compile_fails", counts.failed_compiles},
        {"not_cached", counts.not_cached},
        {"dist_compiles", ordered_json::object()},
        {"dist_errors", 0}}},
      {"cache_location", "Local disk: \"" + counts.directory + "\""},
      {"cache_size", all->store.bytes_on_disk},
      {"max_cache_size", counts.max_bytes},
      {"use_preprocessor_cache_mode", false},
      {"version", version},
  };
  // Reasons may hold bytes that are not UTF-8.
  return root.dump(2, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hipcache::stats
