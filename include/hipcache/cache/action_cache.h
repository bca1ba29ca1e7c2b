// Finds results by what was asked (the action key) and by the state of the inputs now.
//
// An action key says what is run, and of what is read at most the content of a request's source
// (src/daemon/request/keys.h). Each key has a short list of path sets, newest first. The key, one
// path set and the present state of that path set together find the result. So a key can have any
// number of results (for example, one per state of a header), and a look-up computes at most
// store::kMaxPathSets states in each store.
//
//   path_sets(key)                   -> path sets: id and blob
//   action(H(key, set id, state))    -> result
//   blob(set's blob)                 -> the set's questions
//
// Our own store is asked first, with all its path sets; then the stores below it; then shared caches
// (hipcache/cache/remote_results.h). What was of use there is put into our own.
//
// Trust. If results of shared caches count only with a trusted signature, our own store must not
// serve what came without one before, and what is made of it must not be signed. So the store keeps
// results apart for each set of trusted keys, and for daemons that sign (hipcache/cache/remote_results.h).
//
// A dropped result stays dropped. An audit may find a result wrong at any time, also while another
// request is about to write that result back: with what it is found by, from a store below, from a
// shared cache or from an archive. Such writes take place only if the mark of a dropped result has not
// come meanwhile (store::LocalStore::put_action_if). A run's own result replaces the mark.
//
// Damage to any of these is a miss. Thread-safe. Memory: about kDecodedBytes of recently decoded
// path sets.
// Rejected: results in the list itself (as in ccache's manifest); the list grows and slows with
// every edit of a header.
#ifndef HIPCACHE_CACHE_ACTION_CACHE_H
#define HIPCACHE_CACHE_ACTION_CACHE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/cache/remote_results.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/store/local_store.h"

namespace hipcache::cache {

inline constexpr std::size_t kDecodedBytes = 32u << 20;

// Raised when the meaning of keys or results changes. key_hasher makes it part of every key.
inline constexpr std::uint32_t kSchema = 13;

struct ActionKey {
  Digest value;
  // False if shared caches are neither asked about the action nor given its results. Says nothing of what is run.
  bool is_shared = true;
  friend auto operator<=>(const ActionKey& one, const ActionKey& other) { return one.value <=> other.value; }
  friend bool operator==(const ActionKey& one, const ActionKey& other) { return one.value == other.value; }
};

// A hasher tagged with the schema and `domain` ("request", "opaque", "probe", "device", ...).
Hasher key_hasher(std::string_view domain);

struct Output {
  std::string name;  // "object", "depfile", "code-object", "fatbin", "plan"
  Digest blob;
  std::uint64_t size = 0;
  bool executable = false;  // as the process that wrote the file left it
  // Only in the result of a request: the path of the user's file, portable or relative to the
  // request's directory. `in_place`: an existing file is written to, as compilers do with depfiles,
  // instead of replaced. `place` is empty for files that only later steps read.
  std::string place;
  bool in_place = false;
  bool in_place_if_empty = false;  // hipcache/protocol/messages.h: PlacedOutput
  bool operator==(const Output&) const = default;
};

// What a look-up finds a result by. Our own store keeps it in each result. So the store can be
// exported (hipcache/cache/exchange.h), and a result that an archive gave a key of its own choice is
// not served to a look-up that computes this key.
struct FoundBy {
  Digest key;         // of the action
  Digest path_set;    // its id
  Digest result_key;  // result_key(), for whatever keys are trusted
  bool operator==(const FoundBy&) const = default;
};

struct ActionResult {
  std::vector<Output> outputs;
  std::string stdout_text;
  std::string stderr_text;
  // Of the run that produced the result: what a hit saves.
  std::uint64_t duration_us = 0;
  std::optional<std::uint64_t> processor_us = {};  // nothing in a result of an earlier version
  // The architectures of its devices, kBundleStep, ...: in the result of a request for statistics, in
  // every result for exports by architecture.
  std::vector<std::string> steps;
  // By the run that made it (inputs::State::overlooked). Nothing if it is not known: in results of earlier versions,
  // and if a part of the result was a hit by tokens.
  std::optional<Digest> overlooked = {};
  // The digests of the wrapper headers with which it was made (src/daemon/run/preamble_run.h). If one of these is found
  // wrong, so may be the result.
  std::vector<Digest> preambles = {};
  // Set in our own store. Results in shared caches have none: there the list leads to the result.
  std::optional<FoundBy> found_by{};

  std::uint64_t processor_time() const { return processor_us.value_or(duration_us); }
  const Output* output(std::string_view name) const;
  std::string encode() const;
  static Result<ActionResult> decode(std::string_view bytes);
};

// Whether a stored result has every output that the caller needs. Every look-up asks; a result that
// lacks an output is a miss.
using Suffices = std::function<bool(const ActionResult&)>;

// For callers that only ask whether there is a result.
inline bool any_result(const ActionResult& /*result*/) { return true; }

struct Hit {
  ActionResult result;
  std::shared_ptr<const inputs::PathSet> path_set;
  Digest state;                      // of the path set, as computed for this hit
  std::optional<Digest> overlooked;  // the same

  // Whether the bytes of a source, or macros of the command, are others than those of the run that made the result. So
  // the result is right only if the compiler sees no more than the path set's weaker questions.
  bool is_by_tokens() const { return overlooked != result.overlooked; }

  inputs::Witnessed witnessed() const { return {path_set, state, result.overlooked}; }
};

// The name of a result in the stores: digest of the action key, the path set and its state.
Digest result_key(const ActionKey& key, const Digest& set, const Digest& state);

// What several parts make together: a step that ran in parts, or a request of probes and steps.
enum class Whole { step, request };

// The union of what several steps depend on, as examined. Not stored yet.
struct Examined {
  inputs::Witnessed all;
  inputs::Answered answered;
  bool agrees = false;  // with what every step witnessed
  // If it does not agree: the first name with another answer now, if known.
  std::string changed;
};

// An Examined whose path set has been stored.
struct Observed {
  std::shared_ptr<const inputs::PathSet> set;
  Digest blob;  // where the set is stored
  inputs::Answered answered;
};

class ActionCache {
 public:
  // `remote`: shared caches; null if there are none. `trust`: nothing if every result counts. A signing
  // daemon's `remote` answers only with results that have a trusted signature. The other arguments
  // outlive this object.
  ActionCache(store::LocalStore& store, inputs::FileSystemState& file_system, Log& log, RemoteResults* remote = nullptr,
              const std::optional<Trust>& trust = std::nullopt);
  ~ActionCache();

  // A result that is valid now and suffices, or nothing. The blobs that it names are present when
  // this returns, and stay while `lease` lives.
  std::optional<Hit> look_up(const ActionKey& key, const Suffices& suffices, const inputs::RunContext& from,
                             store::Lease& lease, inputs::Effort* effort = nullptr);

  // Look-ups of these keys follow. If there are shared caches, asks them at once about those that
  // no store of this machine has.
  void prefetch(const std::vector<ActionKey>& keys, const inputs::RunContext& from, store::Lease& lease);

  // Publishes the result, if there are shared caches.
  // REQUIRES: the blobs of `result` are in the store, and `witnessed` describes the run that made
  // it. What that run overlooked is recorded with the result.
  Status record(const ActionKey& key, const inputs::Witnessed& witnessed, const ActionResult& result);

  // Records the result in the place of the hit's, unless that was dropped, or replaced by another one,
  // since it was found.
  Status replace(const ActionKey& key, const Hit& hit, const ActionResult& result);

  // Merges what the steps depend on, and checks that each step's state is still the one that it
  // witnessed. A result must never be stored under a state that it was not made in.
  Examined examine(const std::vector<inputs::Witnessed>& parts, Whole whole, const inputs::RunContext& from);

  // Records the result of those steps under the union. REQUIRES: the steps agree, and for each part
  // the conditions of record() hold.
  Result<Observed> record_union(const ActionKey& key, Examined examined, const ActionResult& result);

  // Stores the path set of the union without a result: for the miss history of a request that
  // cannot be recorded as one.
  Result<Observed> store_union(Examined examined);

  // The result of that hit is wrong. No look-up finds it again on this machine, in our own store, in
  // another one or in a shared cache, until a run records a result in its place.
  Status drop(const ActionKey& key, const Hit& hit);

  // The shared cache that the hit's result was taken from, without secrets. Empty if it came from
  // elsewhere, or if that is forgotten.
  std::string origin(const ActionKey& key, const Hit& hit);

  // Number of observations in the newest path set under the key; 0 if there is none. For --plan.
  std::uint64_t known_inputs(const ActionKey& key);

  // The path set of that id, if the key has it. For explanations.
  std::shared_ptr<const inputs::PathSet> path_set(const ActionKey& key, const Digest& id);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace hipcache::cache

#endif
