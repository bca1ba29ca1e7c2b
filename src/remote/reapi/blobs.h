// The blobs of a REAPI server: its content-addressable store.
//
// Large blobs go by ByteStream, compressed on the way if the server offers it. They may be of any size, and each piece
// is progress, which a call with one answer does not show. Blobs of a cache are read by ByteStream only: BatchReadBlobs
// saves nothing for those that hipcache asks for, of which the small ones travel within results. Before blobs are sent,
// the server is asked which of them are missing; the small ones are sent together.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_BLOBS_H
#define HIPCACHE_SRC_REMOTE_REAPI_BLOBS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "remote/layout/backend.h"
#include "remote/reapi/capabilities.h"
#include "remote/reapi/rpc.h"
#include "remote_execution.pb.h"

namespace hipcache::remote {

// What a REAPI server calls a blob: its SHA-256 and its size. hipcache's own Digest is another hash, so a name is made
// from the bytes, or learned from an ActionResult that has it.
struct BlobName {
  std::string hash;  // 64 lower-case hexadecimal digits
  std::uint64_t size = 0;
  bool operator==(const BlobName&) const = default;
};

BlobName blob_name_of(std::string_view bytes);

// Whether a server may call a blob so.
bool is_valid(const BlobName& name);

void set(wire::Digest& digest, const BlobName& name);
// Nothing if it is no name of a blob.
std::optional<BlobName> name_in(const wire::Digest& digest);

// Takes a blob piece by piece; false ends the call.
using BlobSink = std::function<bool(std::string_view piece)>;

// Gives the sink as many bytes as the name says, which are not checked. Nothing if the server has no such blob. After a
// failure the sink has had a part.
WriteAnswer read_blob_into(Connection& connection, const BlobName& name, bool zstd, const BlobSink& sink,
                           const Limits& limits);

// The same in one text.
Answer<std::string> read_blob(Connection& connection, const BlobName& name, bool zstd, const Limits& limits);

struct Upload {
  BlobName name;
  const std::string* bytes = nullptr;
};

using FindMissingCall = UnaryCall<wire::FindMissingBlobsRequest, wire::FindMissingBlobsResponse>;

inline constexpr std::size_t kMostNames = 4'000;  // in a message

// The caller may send it with other calls. REQUIRES: at most kMostNames
std::unique_ptr<FindMissingCall> find_missing(const Connection& connection, std::span<const BlobName> names);

// Sends all of them.
WriteAnswer send_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                       const Limits& limits);

// Sends those that are missing.
WriteAnswer put_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                      const Limits& limits);

}  // namespace hipcache::remote

#endif
