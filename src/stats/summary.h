// The statistics on one screen of a terminal: what people look at first.
#ifndef HIPCACHE_SRC_STATS_SUMMARY_H
#define HIPCACHE_SRC_STATS_SUMMARY_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::stats {

// What the user can do about a reason that the statistics count.

// Empty if the reason's detail or docs/coverage.md says more.
inline std::string_view remedy_of(std::string_view reason) {
  if (reason == "clock") return "set SOURCE_DATE_EPOCH, or do without __DATE__ and __TIME__";
  if (reason == "native-target") return "name the architecture, as --offload-arch=gfx906";
  return "";
}

// Aligned lines of a name, a number and a remark.

// How a line stands out on a terminal.
// `good`: the cache did its work. `doubtful`: worth a look. `trouble`: something is wrong.
enum class Tone : std::uint8_t { plain, heading, good, doubtful, trouble };

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
  std::string text(bool colour) const;

 private:
  struct Line {
    std::string name, value, remark;
    Tone tone = Tone::plain;
  };
  std::vector<Line> lines_;
  std::size_t width_ = 0;
};

// The tone if there is any.
inline Tone tone_if(std::uint64_t count, Tone tone) { return count == 0 ? Tone::plain : tone; }

// With the title, that is what a terminal of the usual size shows.
inline constexpr std::size_t kMostSummaryLines = 23;

// At most that many lines: leaves out what is zero, and counts what does not fit.
Lines summary_of(const Snapshot& counts, const StoreSize& store);

// Shared by the summary and the full report: the hit rate, the time saved, and the store's directory and size.
void add_hit_rate(Lines& lines, const Snapshot& counts);
void add_time_saved(Lines& lines, const Snapshot& counts);
// A line if the daemon takes none.
void add_token_hits_off(Lines& lines, const TokenHits& hits);
void add_place(Lines& lines, const Snapshot& counts, const StoreSize& store);

// What came of the steps: by architecture, of the others, and why some were not stored.
void add_outcome_of_steps(Lines& lines, const Snapshot& counts);

// Behind the number of misses: a failed compile is one of them, and does not count in the hit rate.
std::string failed_among_misses(const Snapshot& counts);

// What the user can do about the reason, and "last: what happened"; each only if it is known.
std::string remark_on(const std::string& reason, const std::map<std::string, std::string>& details);

Tone tone_of(const Tier& tier);

// The largest number first.
std::vector<std::pair<std::string, std::uint64_t>> sorted_reasons(const std::map<std::string, std::uint64_t>& reasons);

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& reasons);
HitRun sum_of(const std::map<std::string, HitRun>& steps);

// A step's number, share of hits and runs.
void add_step(Lines& lines, const std::string& name, const HitRun& step);

}  // namespace hipcache::stats

#endif
