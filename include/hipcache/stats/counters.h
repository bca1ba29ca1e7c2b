// Counts what happened: requests, steps, reasons. Thread-safe; a snapshot is plain data that
// converts to JSON and back. JSON names are sccache's where the meaning is the same
// (docs/statistics.md).
#ifndef HIPCACHE_STATS_COUNTERS_H
#define HIPCACHE_STATS_COUNTERS_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::stats {

// `aborted`: the client left before it had an answer.
enum class Outcome { hit, partial, miss, passthrough, aborted };

// As statistics, events and --explain spell it.
std::string_view name_of(Outcome outcome);

// Of a request that is served by steps: whether any was found, and whether any has to run.
Outcome outcome_of_steps(bool any_found, bool any_runs);

// What came of a hit that was drawn to be made again. `different`: the stored result was wrong.
// `void_audit`: the runs could not be compared. `skipped`: it was served without an audit.
enum class AuditOutcome { equal, different, void_audit, skipped };

struct AuditedHits {
  std::uint64_t hits = 0;         // compared
  std::uint64_t differences = 0;  // of them, those that differed
  std::uint64_t void_audits = 0, skipped = 0;
};

// Hits whose sources have other bytes, or whose command has other macros, than when the result was made.
struct TokenHits {
  std::uint64_t served = 0;
  std::string off;  // why the daemon takes none of them; measured on request
};

// Wrapper headers that are parsed once (docs/internals/plan.md).
struct WrapperHeaders {
  std::uint64_t made = 0;
  std::uint64_t used = 0;         // front ends that ran with one
  std::uint64_t again = 0;        // that ran again without
  std::uint64_t audited = 0;      // that ran both ways to be compared
  std::uint64_t differences = 0;  // of these
  std::uint64_t saved_us = 0;     // processor time, as the header's proof showed it
};

struct HitRun {
  std::uint64_t hit = 0;
  std::uint64_t run = 0;
};

// A shared cache (docs/remote.md), since the daemon began to ask it.
struct Tier {
  std::string url;    // without secrets
  std::string state;  // "ok", or why it is not asked
  std::uint64_t hits = 0, misses = 0, errors = 0;
  std::uint64_t not_signed = 0, untrusted = 0;  // of the misses: results that no trusted key has signed
  std::uint64_t written = 0, write_errors = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::uint64_t median_us = 0;  // of the last look-ups
};

struct Remote {
  std::vector<Tier> tiers;
  std::uint64_t waiting = 0, written = 0, failed = 0;  // results to be shared
};

// Steps that an engine of remote execution was given (docs/execution.md).
struct Executed {
  std::uint64_t sent = 0;
  std::uint64_t won = 0;                          // their results were taken
  std::uint64_t lost = 0;                         // this machine was faster
  std::uint64_t not_proved = 0;                   // a worker's result that says nothing about the files here
  std::uint64_t failed = 0;                       // without a result
  std::uint64_t differences = 0;                  // that an audit found
  std::map<std::string, std::uint64_t> why;       // reason -> results that were not proved, and failures
  std::map<std::string, std::string> why_detail;  // reason -> the last such step, and the path or the engine's words
  std::map<std::string, std::uint64_t> paths;     // path -> results that were not proved because of it
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint64_t queue_us = 0, staging_us = 0, execution_us = 0;  // of the results that were taken
};

// A step that some client runs, or the engine.
struct RunningStep {
  std::string object, label, arch;  // the arch is empty if the step has none
  std::uint64_t age_ms = 0;
  bool is_sent = false;  // it is with the engine. One that runs here as well is listed twice
};

// Lines of the event log, since the daemon started.
struct EventCounts {
  std::uint64_t written = 0;
  std::uint64_t dropped = 0, failed = 0;  // lost: no room in memory; not to be written
};

struct Snapshot {
  std::uint64_t compile_requests = 0;  // the sum of the outcomes
  std::uint64_t hit = 0, partial = 0, miss = 0, passthrough = 0, aborted = 0;
  // reason -> requests passed through
  std::map<std::string, std::uint64_t> not_cached;
  // reason -> steps that ran and were not recorded
  std::map<std::string, std::uint64_t> not_stored;
  // reason -> the option or file that caused the last such request
  std::map<std::string, std::string> not_cached_detail;
  // reason -> the last such step, and the file if there is one
  std::map<std::string, std::string> not_stored_detail;
  // reason -> steps stored for one checkout only
  std::map<std::string, std::uint64_t> tied;
  // reason -> the last such step's source, and what helps
  std::map<std::string, std::string> tied_detail;
  // reason -> times that back ends ran within a bundle's step
  std::map<std::string, std::uint64_t> bundled;
  // reason -> the last such request's output, or the wrapper's message
  std::map<std::string, std::string> bundled_detail;
  // reason -> requests of HIP code that were one step for all architectures
  std::map<std::string, std::uint64_t> not_split;
  // reason -> the option or job that caused the last such request
  std::map<std::string, std::string> not_split_detail;
  // reason -> front ends that read the wrapper header themselves
  std::map<std::string, std::uint64_t> without_header;
  // reason -> the last such step
  std::map<std::string, std::string> without_header_detail;
  std::map<std::string, HitRun> device;  // by arch
  HitRun host, bundle, probe, proof, unbundle, link, archive;
  HitRun front, back;                 // of split device compiles
  HitRun split_codegen_proof, audit;  // of the proof for that split; an audit is never a hit
  HitRun rated;                       // what the hit rate counts (hit_rate.h)
  AuditedHits audited_hits;
  TokenHits token_hits;
  WrapperHeaders wrapper_headers;
  // The compiler reported an error; counted beside the outcome.
  std::uint64_t failed_compiles = 0;
  std::uint64_t wrappers = 0;      // wrappers that ran; the compilers that they started are requests
  std::uint64_t waited_steps = 0;  // another client was running the step
  std::uint64_t errors = 0;        // trouble of the cache itself
  std::uint64_t corrupt = 0;
  std::uint64_t evicted = 0;
  std::uint64_t layers = 0;      // other stores that are read
  std::uint64_t taken_over = 0;  // results that were found only in other stores
  std::uint64_t max_bytes = 0;   // limit of the store on disk; 0: none
  std::string directory;         // of the cache
  Executed executed;
  Remote remote;                         // measured on request
  std::vector<RunningStep> running;      // the same; the oldest first
  EventCounts events;                    // the same
  std::uint64_t time_saved_us = 0;       // by the clock: what the stored steps took
  std::uint64_t processor_saved_us = 0;  // the same in processor time
  std::uint64_t since = 0;               // seconds since the epoch: last zeroed

  // Everything above, and the given size of the store. Also the form in which the counters are kept
  // between two runs of the daemon.
  std::string to_json(std::uint64_t actions, std::uint64_t blobs, std::uint64_t bytes,
                      std::uint64_t bytes_on_disk) const;
  // Missing fields count as zero, so that the text of an older daemon can be read. A value of
  // another type is an error that names the field.
  static Result<Snapshot> from_json(std::string_view text);
};

// Limits on the number of reasons, and of architectures; further names count as "other". They come
// from command lines.
inline constexpr std::size_t kMaxNames = 256;
inline constexpr std::size_t kMaxDetail = 256;

class Counters {
 public:
  Counters();

  // Call it once per request, at its end.
  void request(Outcome outcome);
  // `detail`: what and which file, for people; cut to its last kMaxDetail bytes.
  void not_cached(std::string_view reason, std::string_view detail = {}) {
    count_reason(counts_.not_cached, counts_.not_cached_detail, reason, detail);
  }
  void not_stored(std::string_view reason, std::string_view detail = {}) {
    count_reason(counts_.not_stored, counts_.not_stored_detail, reason, detail);
  }
  void tied(std::string_view reason, std::string_view detail) {
    count_reason(counts_.tied, counts_.tied_detail, reason, detail);
  }
  void bundled(std::string_view reason, std::string_view detail) {
    count_reason(counts_.bundled, counts_.bundled_detail, reason, detail);
  }
  void not_split(std::string_view reason, std::string_view detail) {
    count_reason(counts_.not_split, counts_.not_split_detail, reason, detail);
  }
  void without_preamble(std::string_view reason, std::string_view detail) {
    count_reason(counts_.without_header, counts_.without_header_detail, reason, detail);
  }
  void preamble_made() { count_one(counts_.wrapper_headers.made); }
  void preamble_used(std::uint64_t saved_us);
  void preamble_again() { count_one(counts_.wrapper_headers.again); }
  void preamble_audited() { count_one(counts_.wrapper_headers.audited); }
  void preamble_differs() { count_one(counts_.wrapper_headers.differences); }
  void device(std::string_view arch, bool hit);
  void host(bool hit) { count_step(counts_.host, hit); }
  void bundle(bool hit) { count_step(counts_.bundle, hit); }
  void probe(bool hit) { count_step(counts_.probe, hit); }
  void proof(bool hit) { count_step(counts_.proof, hit); }
  void front(bool hit) { count_step(counts_.front, hit); }
  void back(bool hit) { count_step(counts_.back, hit); }
  void split_codegen_proof(bool hit) { count_step(counts_.split_codegen_proof, hit); }
  void audit() { count_step(counts_.audit, false); }  // of a back end
  void audit_of_hit(AuditOutcome outcome);
  void token_hit() { count_one(counts_.token_hits.served); }
  void unbundle(bool hit) { count_step(counts_.unbundle, hit); }
  void link(bool hit) { count_step(counts_.link, hit); }
  void archive(bool hit) { count_step(counts_.archive, hit); }
  void rated(const HitRun& steps);
  // A step was given to the engine; its result was taken; this machine was faster; an audit found it wrong.
  void executed_sent() { count_one(counts_.executed.sent); }
  void executed_won(const Executed& times);  // its bytes and times
  void executed_lost() { count_one(counts_.executed.lost); }
  void executed_differs() { count_one(counts_.executed.differences); }
  // `is_proof`: the result is there, and not proved, perhaps because of a path. `detail`: as in not_stored().
  void executed_in_vain(bool is_proof, std::string_view reason, std::string_view detail, std::string_view path);
  void failed_compile() { count_one(counts_.failed_compiles); }
  void wrapper() { count_one(counts_.wrappers); }
  void waited() { count_one(counts_.waited_steps); }
  void error() { count_one(counts_.errors); }
  // What a run took whose result was found: by the clock, and in processor time.
  void saved(std::uint64_t elapsed_us, std::uint64_t processor_us);

  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);
  void zero();        // also sets `since` to now
  bool take_dirty();  // whether anything was counted since the last call

 private:
  void count_one(std::uint64_t& counter);
  void count_step(HitRun& step, bool hit) { count_one(hit ? step.hit : step.run); }
  void count_reason(std::map<std::string, std::uint64_t>& counts, std::map<std::string, std::string>& details,
                    std::string_view reason, std::string_view detail);

  mutable std::mutex mutex_;
  Snapshot counts_;
  bool dirty_ = false;
};

}  // namespace hipcache::stats

#endif
