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
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/base/digest.h"
#include "remote/layout/backend.h"
#include "remote/reapi/blob_stream.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {

// Puts blobs into the server's content-addressable store: asks which of them are missing, sends the small ones together
// and the others by ByteStream.

// What a server says that it can do. Asked once for each connection, beside the first question, so that it costs no
// round trip; forgotten when the server could not be reached, for another one may answer next time. Nothing is written
// to find out.
//
// Thread-safe.

struct Capabilities {
  // Servers that advertise "no limit" reject messages above gRPC's default of 4 MiB (bazel-remote #658).
  static constexpr std::uint64_t kBatchBytes = 3u << 20;

  bool has_sha256 = true;
  bool takes_results = true;
  bool has_zstd = false;
  bool executes = true;
  std::string version;  // of the API, the highest; empty if it does not say
  std::uint64_t batch_bytes = kBatchBytes;
  std::uint64_t largest_blob = std::numeric_limits<std::uint64_t>::max();
};

class ServerKnowledge {
 public:
  explicit ServerKnowledge(Connection& connection) : connection_(connection) {}

  // Asks if it is not known.
  std::variant<Capabilities, Failure> get(const Limits& limits);

  // The same in two parts: the caller sends the call with others. Null if it is known.
  std::unique_ptr<CapabilitiesCall> question();
  void take(const CapabilitiesCall& answered);

  void forget();

 private:
  Connection& connection_;
  std::mutex mutex_;  // guards all below
  std::optional<Capabilities> known_;
};

struct Upload {
  BlobName name;
  const std::string* bytes = nullptr;
};

// The caller may send it with other calls.
std::unique_ptr<FindMissingCall> find_missing(const Connection& connection, std::span<const Upload> uploads);

inline constexpr std::size_t kMostNames = 4'000;  // in a message

// Sends all of them.
WriteAnswer send_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                       const Limits& limits);

// Sends those that are missing.
WriteAnswer put_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                      const Limits& limits);

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
