// Values under action keys.
//
// An ActionResult holds a value in its auxiliary metadata, which servers keep as it is and send with the result: one
// round trip on all of them. Rejected: stdout_raw and output files with contents, for clients are told not to send
// them, and servers take them out and put them back only if they implement the hints (Buildbarn and NativeLink do not).
// A value of more than kMostInline bytes is a blob of its own, with the output file "value".
//
// Output files "blob/<digest>" name further blobs: the server keeps them as long as the result, or, if one is lost,
// says that it has no result.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_ACTION_CACHE_H
#define HIPCACHE_SRC_REMOTE_REAPI_ACTION_CACHE_H

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "remote/layout/backend.h"
#include "remote/reapi/blob_stream.h"
#include "remote/reapi/blob_uploads.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {

// Keys of the action cache.
//
// Problem: a REAPI server keeps an ActionResult for the digest of an Action, and nothing else.
// Choice: each list, result and blob of hipcache has an Action that nobody runs: its command line says what it is
// (docs/internals/formats.md). Its digest is the key. Some servers want to see Action and Command before they take a
// result; so an ActionKey has their bytes. Rejected: our own digest as the Action's. Servers may verify it, and other
// clients' actions could be confused with ours.

// A list is spread over slots, by the id of its path sets: two machines that add different ones seldom meet.
inline constexpr unsigned kSlots = 4;

enum class ActionKind { list, result, blob };

struct ActionKey {
  BlobName name;
  std::string action;   // encoded
  std::string command;  // encoded
};

// `prefix` may be empty. `slot` is 0 for all but lists.
ActionKey make_action_key(const std::string& prefix, ActionKind kind, const Digest& key, unsigned slot = 0);

unsigned slot_of(const Digest& path_set);

struct ActionValue {
  std::string value;
  std::vector<std::pair<Digest, BlobName>> blobs;
};

class ActionCache {
 public:
  static constexpr std::size_t kMostInline = 1u << 20;

  ActionCache(Connection& connection, ServerKnowledge& server) : connection_(connection), server_(server) {}

  // The call that asks; the caller may send it with others.
  std::unique_ptr<GetActionCall> question(const ActionKey& key) const;
  // What the call found. Asks for a large value's blob, of at most `most` bytes.
  Answer<ActionValue> take(const GetActionCall& answered, std::uint64_t most, const Limits& limits);

  Answer<ActionValue> get(const ActionKey& key, std::uint64_t most, const Limits& limits);
  WriteAnswer put(const ActionKey& key, const ActionValue& value, const Limits& limits);

 private:
  WriteAnswer put_actions(const ActionKey& key, const Capabilities& server, const Limits& limits);

  Connection& connection_;
  ServerKnowledge& server_;
  std::atomic<bool> wants_actions_ = false;  // the server takes no result whose Action it has not got
  std::atomic<bool> refusal_is_known_ = false;
};

}  // namespace hipcache::remote

#endif
