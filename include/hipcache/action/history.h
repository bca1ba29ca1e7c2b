// What compiles of an output were like, so that a miss can be explained: which argument, file or variable differs from
// the nearest compile that is stored.
//
// The problem: keys and states are digests, and say only that something differs. The choice: of every request that was
// served step by step a trail is kept, what was asked and what the world answered, under the name of its output; the
// newest few of each. A hit neither reads nor writes any of it. Rejected: answers in the path sets (one set serves any
// number of results), and a trail for each step (steps share most of what they observe).
//
//   action(output)  -> blobs of the newest trails   (list, at most kMaxTrails)
//   blob(trail)     -> the trail; it names the blob of the path set that its answers belong to
//
// Values of variables are in no trail (inputs/told.h). Damage is a shorter explanation, never an error. Thread-safe.
#ifndef HIPCACHE_ACTION_HISTORY_H
#define HIPCACHE_ACTION_HISTORY_H

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/action/action_cache.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"
#include "hipcache/store/store.h"

namespace hipcache::action {

inline constexpr std::size_t kMaxTrails = 4;
inline constexpr std::size_t kMaxTrailBytes = 4u << 20;  // before compression; a larger one is not kept

// A request, as far as it is part of keys.
struct Asked {
  std::string compiler;
  std::vector<std::string> arguments;  // less the architectures
  std::vector<std::string> archs;
  std::string working_directory;
  std::string logical_directory;
  std::string cuid;
  bool colour = false;
  bool operator==(const Asked&) const = default;
};

struct TrailStep {
  std::string label;  // "probe", "device gfx906", "bundle", "host"
  ActionKey key;
  std::vector<std::string> programs;
  std::vector<std::vector<std::string>> arguments;  // of each command, as the key has them
  std::vector<Digest> inputs;                       // made by earlier steps
  Digest set;                                       // id of its path set; none if it was refused
  std::string refusal;                              // why it could not be stored, or empty
  std::string detail;
  bool operator==(const TrailStep&) const = default;
};

struct Trail {
  Asked asked;
  std::vector<TrailStep> steps;
  Observed observed;  // by all steps that could be stored; without a set where that is lost

  const TrailStep* step(std::string_view label) const;

  std::string encode() const;
  // Without the set itself.
  static Result<Trail> decode(std::string_view bytes);
};

class History {
 public:
  History(store::Store& store, Log& log) : store_(store), log_(log) {}

  // One that is too large is not kept, which is no error. REQUIRES: the path set is stored.
  Status record(const Digest& output, const Trail& trail);

  // Newest first.
  std::vector<Trail> trails(const Digest& output);

 private:
  std::vector<Digest> blobs_of(const Digest& output);
  void load_set(Observed& observed);

  store::Store& store_;
  Log& log_;
  std::mutex list_mutex_;  // a list is read, changed and written back
};

}  // namespace hipcache::action

#endif
