// What a build cost and what it was spared: the numbers and tables, and the forms in which they are shown.
#ifndef HIPCACHE_REPORT_SUMMARY_H
#define HIPCACHE_REPORT_SUMMARY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hipcache/report/build.h"
#include "hipcache/stats/counters.h"
#include "hipcache/stats/hit_rate.h"

namespace hipcache::report {

struct Outcomes {
  std::uint64_t hit = 0, partial = 0, miss = 0, passthrough = 0, aborted = 0;
  std::uint64_t failed = 0;  // of the misses: the compiler reported an error
  stats::HitRun rated;       // steps that count in the rate
  std::uint64_t all() const { return hit + partial + miss + passthrough + aborted; }
  stats::HitRate rate() const;
};

// Steps of one architecture, or of one kind without an architecture ("host", "bundle", "link", ...).
struct StepRow {
  std::string name;
  bool is_arch = false;
  std::uint64_t hit = 0, run = 0, failed = 0;
  std::uint64_t run_us = 0;    // of all its runs
  std::uint64_t saved_us = 0;  // by hits of steps; those of whole requests are not told apart
  std::uint64_t bytes = 0;     // made by its runs
};

struct DirectoryRow {
  std::string directory;  // of the sources
  Outcomes outcomes;
  std::uint64_t run_us = 0, saved_us = 0;
};

// A step that ran. Refers to the build, which outlives it.
struct Miss {
  const events::StepEvent* step = nullptr;
  std::string object, source, directory;
  std::string label, arch;
  std::uint64_t duration_us = 0;
  std::vector<std::string> why;
  std::uint64_t more = 0;
  std::string not_stored;
  bool is_gone = false;
};

// Results that had to go while the build ran.
struct Evicted {
  std::uint64_t values = 0, bytes = 0;
  std::uint64_t max_size = 0;    // the store's limit; 0: nothing was evicted
  std::uint64_t gone_steps = 0;  // that ran only because their results were not stored any more
  std::uint64_t gone_us = 0;     // of their runs
  std::string advice;            // "30G" for HIPCACHE_MAX_SIZE; empty: nothing was evicted
};

// Steps that ran with a wrapper header that was parsed before.
struct WithHeader {
  std::uint64_t steps = 0;
  std::uint64_t saved_us = 0;  // in processor time
};

struct Summary {
  std::string begins;
  std::uint64_t begin_us = 0, end_us = 0;
  Outcomes outcomes;
  std::uint64_t run_us = 0;              // of all steps that ran
  std::uint64_t saved_us = 0;            // that the steps taken from the cache took when they ran
  std::uint64_t processor_saved_us = 0;  // the same in processor time
  WithHeader with_header;
  std::vector<StepRow> steps;             // architectures first
  std::vector<DirectoryRow> directories;  // the most expensive first; at most kMostDirectories
  std::vector<Miss> misses;               // the same; at most kMostMisses
  std::uint64_t all_misses = 0;
  std::map<std::string, std::uint64_t> bypasses;          // by reason
  std::map<std::string, std::string> bypass_example;      // by reason: the object, and the detail
  std::map<std::string, std::uint64_t> not_stored;        // by reason
  std::map<std::string, std::string> not_stored_example;  // by reason: object, step and detail
  stats::Executed executed;  // steps that an engine was given; the examples are objects with step and detail
  Evicted evicted;
  stats::Remote remote;       // of the daemon, since its start or --zero-stats
  std::uint64_t lost = 0;     // lines that the event log lost since the daemon started
  std::uint64_t damaged = 0;  // lines of the event log that were skipped
};

inline constexpr std::size_t kMostDirectories = 200;
inline constexpr std::size_t kMostMisses = 100;

// `counts`: the daemon's statistics now.
Summary summary_of(const Build& build, const stats::Snapshot& counts);

// The limit, as a value for HIPCACHE_MAX_SIZE, of a store that would have kept what was evicted.
std::string advised_size(std::uint64_t max_size, std::uint64_t evicted_bytes);

// The forms of the report. Names of files, messages of compilers and URLs are hostile: none can leave its place and
// become markup, a script or another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the forms.

// One page that needs nothing beside it: no network, no other file.
std::string to_html(const Build& build, const Summary& summary);

// For the summary of a CI job.
std::string to_markdown(const Summary& summary);

// For programs. Fields keep their meaning.
std::string to_json(const Summary& summary);

// Trace events, for Perfetto and chrome://tracing: a process for each track.
std::string to_trace(const Build& build);

}  // namespace hipcache::report

#endif
