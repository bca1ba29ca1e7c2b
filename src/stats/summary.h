// The statistics on one screen of a terminal: what people look at first.
#ifndef HIPCACHE_SRC_STATS_SUMMARY_H
#define HIPCACHE_SRC_STATS_SUMMARY_H

#include "hipcache/stats/counters.h"
#include "hipcache/stats/store_size.h"
#include "stats/lines.h"

namespace hipcache::stats {

// With the title, that is what a terminal of the usual size shows.
inline constexpr std::size_t kMostSummaryLines = 23;

// At most that many lines: leaves out what is zero, and counts what does not fit.
Lines summary_of(const Snapshot& counts, const StoreSize& store);

// Shared by the summary and the full report: the hit rate, the time saved, and the store's directory and size.
void add_hit_rate(Lines& lines, const Snapshot& counts);
void add_time_saved(Lines& lines, const Snapshot& counts);
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
