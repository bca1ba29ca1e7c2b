// The miss history: describes earlier compiles of an output, so that a miss can be explained. The
// explanation names the argument, file or variable that differs from the nearest stored compile.
//
// Problem: keys and states are digests, which say only that something differs.
// Choice: each request that was served step by step leaves an entry: what was asked, and a
// fingerprint of each answer. Entries are stored under the name of the output, and under one that
// stands for the source; of each, only the newest few are kept. A hit neither reads nor writes them.
// Rejected: answers in the path sets (one set serves any number of results); one entry per step
// (steps share most of what they observe).
//
//   action(name)    -> blobs of the newest entries  (list, at most kMaxHistoryEntries)
//   blob(entry)     -> the entry; it names the blob of the path set that its answers belong to
//
// A machine without a history of the output reads those of others (miss_history.h).
//
// No entry holds values of variables (inputs/answer_fingerprints.h). A damaged entry shortens the explanation and
// is never an error. Thread-safe.
#ifndef HIPCACHE_CACHE_MISS_HISTORY_H
#define HIPCACHE_CACHE_MISS_HISTORY_H

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/remote_results.h"
#include "hipcache/store/local_store.h"

namespace hipcache::cache {

inline constexpr std::size_t kMaxHistoryEntries = 4;
inline constexpr std::size_t kMaxHistoryBytes = 4u << 20;  // before compression

// The parts of a request that go into keys.
struct HistoryRequest {
  std::string compiler;
  std::vector<std::string> arguments;  // without the architectures
  std::vector<std::string> archs;
  std::string working_directory;
  std::string logical_directory;
  std::string cuid;
  bool operator==(const HistoryRequest&) const = default;
};

struct HistoryStep {
  std::string label;  // "probe", "device gfx906", "bundle", "host"
  ActionKey key;      // of an opaque compile: of its command, whatever the source contains
  std::vector<std::string> programs;
  std::vector<std::vector<std::string>> arguments;  // of each command, as the key has them
  std::vector<Digest> inputs;                       // outputs of earlier steps
  Digest set;                                       // of its path set; empty if it was refused
  std::string refusal;                              // why the step could not be stored, or empty
  std::string detail;                               // of a refusal; else why all bytes of its sources count, or empty
  bool operator==(const HistoryStep&) const = default;
};

struct HistoryEntry {
  std::string object;  // absolute path of what the request made
  Digest of_source;    // the list that stands for the source; zero: none
  HistoryRequest request;
  std::vector<HistoryStep> steps;
  Observed observed;  // by all steps that could be stored; without a set if the set is lost

  const HistoryStep* step(std::string_view label) const;

  std::string encode() const;
  // `observed.set` stays empty.
  static Result<HistoryEntry> decode(std::string_view bytes);
};

struct StoredEntry {
  RemoteBlobName blob;
  HistoryEntry entry;
};

// Gives the answers their questions, unless the bytes are damaged or of another path set.
void take_set(Observed& observed, std::string_view bytes);

// Whether an action of a store is the list of a history.
bool is_history_list(std::string_view action);

class MissHistory {
 public:
  // `remote`: null if there are no shared caches, or they get no histories.
  MissHistory(store::LocalStore& store, Log& log, RemoteResults* remote = nullptr)
      : store_(store), log_(log), remote_(remote) {}

  // Adds the entry to the lists of its output's name and of its source, and gives it to the shared caches. An entry
  // that is too large is not kept; that is no error. REQUIRES: the path set is stored.
  Status record(const Digest& name, const HistoryEntry& entry);

  // Newest first.
  std::vector<HistoryEntry> entries(const Digest& name);
  // Those of other machines, from shared caches; some round trips.
  std::vector<HistoryEntry> shared_entries(const Digest& name);

  // For archives: the entries of an output, newest first. Reading them is no use.
  std::vector<StoredEntry> stored(const Digest& name);
  // Takes an entry of an archive, whose blobs have been put. False if it cannot be read.
  Result<bool> accept(const Digest& name, std::string_view shared);

 private:
  Status add(const Digest& name, const HistoryEntry& entry, const Digest& blob);
  Status add_to(const Digest& name, const Digest& blob);
  Result<std::vector<Digest>> blobs_of(const Digest& name);

  store::LocalStore& store_;
  Log& log_;
  RemoteResults* const remote_;
  std::mutex list_mutex_;  // protects the read, change and write-back of a list
};

// Entries of the miss history (miss_history.h) on their way to other machines: in archives and in shared caches.
//
// Problem: a machine that has just begun has no history. It would say of every miss that nothing is stored, although
// other machines compiled the same object a minute ago.
// Choice: an entry travels as a result does: under the name of its output there is a list of commands, and under each
// command the newest entry with its path set. So it passes every server, archive and signature as results do, and a
// machine of an older version ignores it. Shared by a list, at most as many commands as a list has path sets.
// Rejected: whole histories as one value, which machines that write at the same time would take from each other.
//
// Bounded: an entry and its path set have at most kMaxSharedHistoryBytes; a larger one stays at home.

inline constexpr std::uint64_t kMaxSharedHistoryBytes = 1u << 20;  // before compression

// What the action of such a publication says.
struct SharedHistory {
  RemoteBlobName entry;
  RemoteBlobName path_set;  // of size 0 if the entry has none
};

std::optional<SharedHistory> decode_shared_history(std::string_view action);

// `name`: of the output's history; `blob`: of the entry. Nothing if it is too large.
std::optional<Publication> history_publication(const Digest& name, const HistoryEntry& entry,
                                               const RemoteBlobName& blob);

// Of at most kMaxHistoryEntries commands, newest first. What is damaged is left out.
std::vector<HistoryEntry> fetch_histories(const Digest& name, RemoteResults& remote);

}  // namespace hipcache::cache

#endif
