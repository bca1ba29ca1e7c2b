// Numbers as people read them.
#ifndef HIPCACHE_STATS_UNITS_H
#define HIPCACHE_STATS_UNITS_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::stats {

// How much of what was looked up came from the cache: the one number by which CI judges a build.
//
// Choice: steps that make something: a device compile or link for one architecture, a host compile, a link, a run of
// ar, an opaque compile. One architecture more, with three of four such steps found, has the rate 75 %. Failed
// compiles do not count: they are never stored, and the configure checks of CMake fail on purpose in each build.
// Rejected: whole requests, by which that build has the rate 0 although most of it was saved; they are shown beside
// the rate. The steps' times: a run takes longer on a busy machine, so the rate of equal builds would differ, and a
// limit would fail now and then. Steps that only ask or pack (probe, proof, bundle, unbundle) and front ends, whose
// back ends count: they are many and small.

struct Snapshot;

struct HitRate {
  std::uint64_t hits = 0, look_ups = 0;        // steps
  std::uint64_t whole_hits = 0, requests = 0;  // requests; a hit ran no step

  // Of the steps, from 0 to 100; 0 if nothing was looked up.
  double percent() const;

  // "3 of 4 steps, 0 of 1 requests as a whole".
  std::string counts() const;
};

// Since the statistics were zeroed.
HitRate hit_rate_of(const Snapshot& counts);

// Requests that were hits, and those that were looked up: a failed compile is counted as a miss, too.
void set_requests(HitRate& rate, std::uint64_t hits, std::uint64_t misses, std::uint64_t failed);

// An error, for people, if the rate in the statistics' JSON is below `percent`, or if nothing was
// looked up: then the build did not use hipcache at all, which is what a limit is to find.
Status check_hit_rate(std::string_view json, double percent);

// The same for a rate that was counted otherwise. `when`: since when, as in "since the statistics were zeroed".
Status check_hit_rate(const HitRate& rate, double percent, std::string_view when);

// A table of Markdown whose cells hold any text: names of files, messages of servers.

class MarkdownTable {
 public:
  // The first `texts` columns are text, the others are numbers.
  explicit MarkdownTable(std::initializer_list<std::string_view> titles, std::size_t texts = 1);

  void row(const std::vector<std::string>& values);

  // With its heading; empty without rows.
  std::string under(std::string_view heading) const;

 private:
  std::string text_;
  std::size_t rows_ = 0;
};

// As plain text within a table: nothing ends the cell or the line, or is read as markup.
std::string markdown_cell(std::string_view text);

// " 45.0 %", padded to one width; "" if there is no whole.
std::string percent(std::uint64_t part, std::uint64_t whole);

// "512 B", "3.0 MB": in thousands, as HIPCACHE_MAX_SIZE is written.
std::string size(std::uint64_t bytes);

// "1.2 s", "2 min 3 s", "1 h 2 min".
std::string duration(std::uint64_t microseconds);

// The same with milliseconds below a second: "37 ms", "0.4 ms".
std::string short_duration(std::uint64_t microseconds);

// The time in the zone of this machine; "the beginning" for 0.
std::string date(std::uint64_t seconds);

}  // namespace hipcache::stats

#endif
