// The audit of one request: what is stored is made again by the compiler and compared, for a share of all requests
// (HIPCACHE_AUDIT), or else for a share of the hits by tokens.
//
// Problem: a hit proves that the answers to the recorded questions are unchanged. If a question is missing, because the
// compiler depends on something that the trace cannot show, the hit is wrong and nobody notices.
//
// Choice: the audit takes place within the request. An audited request that would be a hit is served like a miss: its
// steps run as the client's children, and their results are compared with the stored ones. The user gets what the
// compiler made now, and waits for it, in the given share of hits and in no others. Rejected: a run behind the answer
// (docs/correctness.md says why), and a client that stays after the files are in place: the build tool waits for it.
//
// What is drawn. HIPCACHE_AUDIT is a share of requests: of a drawn one, all steps run. If it is not set, each hit by
// tokens (cache::Hit::is_by_tokens) is drawn by itself, because such a hit also rests on a rule of hipcache's own. If
// the hit is a request's, all steps run, else that step. If one of them is wrong, so may be all, and the daemon takes
// none any more (shared/token_hits.h).
//
// An audit takes no processor from a miss: if no job slot is free when the hit is drawn, it is served as always
// and counted as skipped. So is one with HIPCACHE_READONLY, where a wrong entry could not be dropped.
//
// A verdict needs equal inputs. If the questions of the stored result have other answers after the run, or if the race
// guard refuses the run, the audit is void. A wrong entry is dropped (ActionCache::drop), and what the run made is not
// recorded: the next compile runs, and its result is stored. Probes run again as well and are not compared, because
// their texts name temporary files. A stale plan shows in the request's result.
//
// One for each request, made when the request is understood. Counts one audit when it is destroyed. Used by its
// session's thread only.
#ifndef HIPCACHE_SRC_DAEMON_AUDIT_AUDIT_H
#define HIPCACHE_SRC_DAEMON_AUDIT_AUDIT_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "daemon/audit/comparison.h"
#include "daemon/request/request_context.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/cache/action_cache.h"

namespace hipcache::daemon {

// Draws what is audited: each draw is true with the given probability, independently of all others.
//
// The seed is the caller's: the daemon takes one from the system, tests take a fixed one. Thread-safe.
class AuditDraw {
 public:
  explicit AuditDraw(std::uint64_t seed) : numbers_(seed) {}

  // `share`: 0 never, 1 always.
  bool draw(double share) {
    if (share <= 0) return false;
    const std::lock_guard lock(mutex_);
    return std::bernoulli_distribution(share)(numbers_);
  }

 private:
  std::mutex mutex_;  // guards the next
  std::mt19937_64 numbers_;
};

// Keeps what differed in an audit, so that a developer can compare it: a directory for each difference in `audit` of
// the daemon's directory.
//
//   audit/<time>-<number>-<key>/report        lines: what was compiled, the key, what differs
//   audit/<time>-<number>-<key>/<n>-stored    the stored bytes of the difference of that number
//   audit/<time>-<number>-<key>/<n>-made      the bytes that the compiler made now
//
// At most kMostDirectories are kept, of which each holds at most kMostBytes; the oldest goes first. What has no room is
// named in the report alone. The files belong to the user alone, because they hold the user's code.
// Rejected: pinning the blobs in the store, because a developer has no tool to read them, and `--clear` removes them.
//
// Thread-safe.
class AuditEvidence {
 public:
  static constexpr std::size_t kMostDirectories = 16;
  static constexpr std::uint64_t kMostBytes = 32u << 20;

  // Both sides of one difference; nothing where a side lacks it.
  struct Pair {
    std::optional<std::string> stored, made;
  };

  // `parent`: the daemon's directory, which outlives this object; null: nothing is kept.
  explicit AuditEvidence(const OwnDirectory* parent) : parent_(parent) {}

  // Returns the path of the directory. <n> is the index in `pairs`.
  Result<std::string> keep(const Digest& key, const std::string& report, const std::vector<Pair>& pairs);

 private:
  static Status make_room(const OwnDirectory& all);

  const OwnDirectory* const parent_;
  std::mutex mutex_;  // guards the next, and the directory
  std::uint64_t next_ = 0;
};

// A stored result that is made again.
struct Audited {
  std::string what;  // "a.o: device gfx906"
  cache::ActionKey key;
  const cache::Hit& stored;
};

class Audit {
 public:
  // Draws the request. Both arguments outlive this object.
  Audit(const Request& request, const Services& services);
  ~Audit();
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;

  // Whether the request's steps run even if they are stored.
  bool is_on() const { return state_ == State::on; }

  // A stored result was found. Draws it, if it is one by tokens. Whether it is made again and compared, instead of
  // being used.
  bool takes_hit(const cache::Hit& stored);

  // The same for the request's own result, which is kept if it is to be compared. Then the request's steps run.
  bool takes_request(const cache::Hit& stored);
  const cache::Hit* request_hit() const { return request_hit_ ? &*request_hit_ : nullptr; }

  // Compares with what a run made, whose outputs are in the store. `exit_code`: not 0 if the run failed by the
  // compiler's own error; what is stored is always a success. False if the stored result is wrong. A void audit finds
  // nothing wrong.
  bool compare(const Audited& audited, cache::ActionResult made, int exit_code, const RequestContext& context);

  // The run cannot be compared.
  void note_void(const std::string& what, const std::string& why);

  // Whether any result differed. Then the request's result is not recorded.
  bool found_difference() const { return differences_ > 0; }

 private:
  enum class State { off, skipped, on };

  State draw(double share) const;
  void switch_off_token_hits(const std::string& what, const Result<std::string>& kept);
  stats::AuditOutcome outcome() const;
  bool has_same_inputs(const Audited& audited, const RequestContext& context);
  void note_difference(const Audited& audited, const std::vector<DifferentPart>& differences, int exit_code,
                       const RequestContext& context);

  const Request& request_;
  const Services& services_;
  State state_ = State::off;  // of the request
  bool has_taken_ = false;    // a stored result was found and is made again
  bool has_skipped_ = false;  // one was drawn, and used
  std::optional<cache::Hit> request_hit_;
  unsigned compared_ = 0, differences_ = 0, void_ = 0;
};

}  // namespace hipcache::daemon

#endif
