// Keeps what differed in an audit, so that a developer can compare it: a directory for each difference in `audit` of
// the daemon's directory.
//
//   audit/<time>-<number>-<key>/report        lines: what was compiled, the key, what differs
//   audit/<time>-<number>-<key>/<n>-stored    the stored bytes of the difference of that number
//   audit/<time>-<number>-<key>/<n>-made      the bytes that the compiler made now
//
// At most kMostDirectories are kept, of which each holds at most kMostBytes; the oldest goes first. What has no room is
// named in the report alone. The files belong to the user alone, because they hold the user's code. Trouble (a full
// disk) is a line in the log: the difference itself is counted and logged by the caller.
// Rejected: pinning the blobs in the store, because a developer has no tool to read them, and `--clear` removes them.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_AUDIT_EVIDENCE_H
#define HIPCACHE_SRC_DAEMON_AUDIT_EVIDENCE_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"

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

class AuditEvidence {
 public:
  static constexpr std::size_t kMostDirectories = 16;
  static constexpr std::uint64_t kMostBytes = 32u << 20;

  // Both sides of one difference; nothing where a side lacks it.
  struct Pair {
    std::optional<std::string> stored, made;
  };

  // `parent`: the daemon's directory; null: nothing is kept. Both outlive this object.
  AuditEvidence(const OwnDirectory* parent, Log& log) : parent_(parent), log_(log) {}

  // Returns the path of the directory; empty if nothing could be kept. <n> is the index in `pairs`.
  std::string keep(const Digest& key, const std::string& report, const std::vector<Pair>& pairs);

 private:
  Result<std::string> write(const Digest& key, const std::string& report, const std::vector<Pair>& pairs);
  static Status make_room(const OwnDirectory& all);

  const OwnDirectory* const parent_;
  Log& log_;
  std::mutex mutex_;  // guards the next, and the directory
  std::uint64_t next_ = 0;
};

}  // namespace hipcache::daemon

#endif
