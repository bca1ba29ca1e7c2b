// Large blobs by ByteStream, compressed on the way if the server offers it. They may be of any size, and each piece is
// progress, which a call with one answer does not show. So blobs are read by ByteStream only: BatchReadBlobs saves
// nothing for the blobs that hipcache asks for, of which the small ones travel within results.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_BLOB_STREAM_H
#define HIPCACHE_SRC_REMOTE_REAPI_BLOB_STREAM_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hipcache/base/digest.h"
#include "remote/layout/backend.h"
#include "remote/reapi/rpc/connection.h"

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

// The names of blobs that were put or found lately: a name that is not here costs a round trip more. Thread-safe.
class KnownNames {
 public:
  static constexpr std::size_t kMost = 16'384;  // about 3 MB

  void add(const Digest& digest, const BlobName& name);
  std::optional<BlobName> find(const Digest& digest) const;
  void forget(const Digest& digest);

 private:
  mutable std::mutex mutex_;  // guards all below
  std::unordered_map<Digest, BlobName> names_;
  std::deque<Digest> order_;  // oldest first
};

// Takes a blob piece by piece; false ends the call.
using BlobSink = std::function<bool(std::string_view piece)>;

// Gives the sink as many bytes as the name says, which are not checked. Nothing if the server has no such blob. After a
// failure the sink has had a part.
WriteAnswer read_blob_into(Connection& connection, const BlobName& name, bool zstd, const BlobSink& sink,
                           const Limits& limits);

// The same in one text.
Answer<std::string> read_blob(Connection& connection, const BlobName& name, bool zstd, const Limits& limits);

WriteAnswer write_blob(Connection& connection, const BlobName& name, const std::string& bytes, bool zstd,
                       const Limits& limits);

}  // namespace hipcache::remote

#endif
