// What happened, counted: requests, steps, reasons. Thread-safe; a snapshot is plain data that goes to JSON and back.
// JSON names are sccache's where the meaning is the same (docs/statistics.md).
#ifndef HIPCACHE_STATS_COUNTERS_H
#define HIPCACHE_STATS_COUNTERS_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::stats {

// `aborted`: the client was gone before it had an answer.
enum class Outcome { hit, partial, miss, passthrough, aborted };

struct HitRun {
  std::uint64_t hit = 0;
  std::uint64_t run = 0;
};

struct Snapshot {
  std::uint64_t compile_requests = 0;  // the sum of the outcomes
  std::uint64_t hit = 0, partial = 0, miss = 0, passthrough = 0, aborted = 0;
  std::map<std::string, std::uint64_t> not_cached;       // reason -> requests passed through
  std::map<std::string, std::uint64_t> not_stored;       // reason -> steps that ran and were not recorded
  std::map<std::string, std::string> not_cached_detail;  // reason -> what speaks against the last such request
  std::map<std::string, std::string> not_stored_detail;  // reason -> the last such step, and the file if there is one
  std::map<std::string, std::uint64_t> tied;             // reason -> steps stored for one checkout alone
  std::map<std::string, std::string> tied_detail;        // reason -> the last such step's source, and what helps
  std::map<std::string, std::uint64_t> bundled;          // reason -> times that back ends ran within a bundle's step
  std::map<std::string, std::string> bundled_detail;     // reason -> the last such request's output, or what was said
  std::map<std::string, HitRun> device;                  // by arch
  HitRun host, bundle, probe, proof, unbundle, link, archive;
  HitRun front, back;                 // of devices, apart
  HitRun halves_proof, audit;         // that they may be; an audit is never a hit
  std::uint64_t failed_compiles = 0;  // the compiler said no; counted beside the outcome
  std::uint64_t waited_steps = 0;     // another client was running the step
  std::uint64_t errors = 0;           // trouble of the cache's own
  std::uint64_t corrupt = 0;
  std::uint64_t evicted = 0;
  std::uint64_t layers = 0;      // other stores that are read
  std::uint64_t taken_over = 0;  // results that were found in those alone
  std::uint64_t time_saved_us = 0;
  std::uint64_t since = 0;  // seconds since the epoch: last zeroed

  // Everything above, and the size of the store as given. What is kept between two runs of the daemon is this text,
  // too.
  std::string to_json(std::uint64_t actions, std::uint64_t blobs, std::uint64_t bytes,
                      std::uint64_t bytes_on_disk) const;
  // What is missing counts as zero, so the text of an older daemon can be read; a value of another type is an error
  // that names it.
  static Result<Snapshot> from_json(std::string_view text);
};

// At most this many reasons, and this many archs, are told apart; those after them count as "other". They come from
// command lines.
inline constexpr std::size_t kMaxNames = 256;
inline constexpr std::size_t kMaxDetail = 256;

class Counters {
 public:
  Counters();

  // Once per request, when it has ended.
  void request(Outcome outcome);
  // `detail`: what and which file, for people; cut at kMaxDetail bytes, of which the last are kept.
  void not_cached(std::string_view reason, std::string_view detail = {});
  void not_stored(std::string_view reason, std::string_view detail = {});
  void tied(std::string_view reason, std::string_view detail);
  void bundled(std::string_view reason, std::string_view detail);
  void device(std::string_view arch, bool hit);
  void host(bool hit);
  void bundle(bool hit);
  void probe(bool hit);
  void proof(bool hit);
  void front(bool hit);
  void back(bool hit);
  void halves_proof(bool hit);
  void audit();
  void unbundle(bool hit);
  void link(bool hit);
  void archive(bool hit);
  void failed_compile();
  void waited();
  void error();
  void saved(std::uint64_t microseconds);

  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);
  void zero();        // and `since` is now
  bool take_dirty();  // whether anything was counted since the last call

 private:
  mutable std::mutex mutex_;
  Snapshot counts_;
  bool dirty_ = false;
};

}  // namespace hipcache::stats

#endif
