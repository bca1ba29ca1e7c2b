// Results by what was asked and by what the world answers.
//
// An action key says what is run (never what is read). Under a key stands a short list of path sets, newest first; the
// state of a path set in the world now, together with key and set, finds the result. So a key has any number of results
// (branches switched to and fro) and a look-up costs at most kMaxPathSets states.
//
//   action(key)                      -> path sets: id and blob   (list, at most kMaxPathSets)
//   action(H(key, set id, state))    -> result
//   blob(set's blob)                 -> the set's questions
//
// Damage of any of them is a miss. Thread-safe. Memory: path sets decoded last, about kDecodedBytes of them.
// Rejected: the results in the list itself (ccache's manifest), which grows and slows with every edit of a header.
#ifndef HIPCACHE_ACTION_ACTION_CACHE_H
#define HIPCACHE_ACTION_ACTION_CACHE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/inputs/observe.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"
#include "hipcache/store/store.h"

namespace hipcache::action {

inline constexpr std::size_t kMaxPathSets = 8;

inline constexpr std::size_t kDecodedBytes = 32u << 20;

// Raised when the meaning of keys or results changes; part of every key (key_hasher).
inline constexpr std::uint32_t kSchema = 8;

struct ActionKey {
  Digest value;
  auto operator<=>(const ActionKey&) const = default;
};

// A hasher tagged with the schema and `domain` ("request", "undivided", "probe", "device", ...).
Hasher key_hasher(std::string_view domain);

struct Output {
  std::string name;  // "object", "depfile", "code-object", "fatbin", "plan"
  Digest blob;
  std::uint64_t size = 0;
  bool executable = false;  // as whoever wrote it left it
  // Of a whole request: where the user's file goes, a path of the request's directory or a portable one, and whether
  // what is there is written to (as compilers do with depfiles) or replaced. Empty for what only later steps read.
  std::string place;
  bool in_place = false;
  bool in_place_if_empty = false;  // hipcache/protocol/messages.h: PlacedOutput
  bool operator==(const Output&) const = default;
};

inline constexpr const char* kBundleStep = "bundle";
inline constexpr const char* kHostStep = "host";
inline constexpr const char* kUnbundleStep = "unbundle";
inline constexpr const char* kLinkStep = "link";
inline constexpr const char* kFrontEndStep = "front-end";

struct ActionResult {
  std::vector<Output> outputs;
  std::string stdout_text;
  std::string stderr_text;
  std::uint64_t duration_us = 0;   // of the run that made it: the time a hit saves
  std::vector<std::string> steps;  // of a request, for the statistics: the archs of its devices, kBundleStep, ...

  const Output* output(std::string_view name) const;
  std::string encode() const;
  static Result<ActionResult> decode(std::string_view bytes);
};

// Whether a stored result has every output that the caller will take from it. Every look-up asks: a result that lacks
// one is a miss, whatever key and state lead to it.
using Suffices = std::function<bool(const ActionResult&)>;

// For callers that only ask whether there is a result.
inline bool any_result(const ActionResult& /*result*/) { return true; }

struct Hit {
  ActionResult result;
  std::shared_ptr<const inputs::PathSet> path_set;
  Digest state;  // of the path set, as this hit proved it

  inputs::Witnessed witnessed() const { return {path_set, state}; }
};

// What several steps depend on, all in all, as it was when it was examined. Not stored yet.
struct Examined {
  inputs::Witnessed all;
  inputs::Answered answered;
  bool agrees = false;  // with what each of the steps witnessed
  std::string changed;  // if not: the first name that answers otherwise now, as far as that is known
};

// The same once its set is stored.
struct Observed {
  std::shared_ptr<const inputs::PathSet> set;
  Digest blob;  // where the set is stored
  inputs::Answered answered;
};

class ActionCache {
 public:
  ActionCache(store::Store& store, inputs::World& world, Log& log);
  ~ActionCache();

  // The result that holds now and suffices, or nothing. Blobs that it names are present when this returns, and stay
  // while `lease` lives.
  std::optional<Hit> look_up(const ActionKey& key, const Suffices& suffices, const inputs::Surroundings& from,
                             store::Lease& lease, inputs::Effort* effort = nullptr);

  // REQUIRES: the blobs of `result` are in the store, and `witnessed` is of the run that made it.
  Status record(const ActionKey& key, const inputs::Witnessed& witnessed, const ActionResult& result);

  // The union of what the steps depend on, and whether the state of each is what it was when it was witnessed: a result
  // must never stand under a state it was not made in.
  Examined examine(const std::vector<inputs::Witnessed>& parts, const inputs::Surroundings& from);

  // The result of those steps under the union. REQUIRES: they agree; as above, for each part.
  Result<Observed> record_union(const ActionKey& key, Examined examined, const ActionResult& result);

  // The union alone: for a history of what cannot be recorded as a whole.
  Result<Observed> store_union(Examined examined);

  // Number of observations in the newest path set under the key; 0 if there is none. For --plan.
  std::uint64_t known_inputs(const ActionKey& key);

  // The path set of that id, if it stands under the key. For explanations.
  std::shared_ptr<const inputs::PathSet> path_set(const ActionKey& key, const Digest& id);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace hipcache::action

#endif
