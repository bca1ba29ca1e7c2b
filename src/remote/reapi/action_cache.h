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

#include "remote/layout/backend.h"
#include "remote/reapi/action_key.h"
#include "remote/reapi/blob_name.h"
#include "remote/reapi/capabilities.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {

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
