// Puts blobs into the server's content-addressable store: asks which of them are missing, sends the small ones together
// and the others by ByteStream.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_BLOB_UPLOADS_H
#define HIPCACHE_SRC_REMOTE_REAPI_BLOB_UPLOADS_H

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "remote/layout/backend.h"
#include "remote/reapi/blob_stream.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {

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

// Sends all of them.
WriteAnswer send_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                       const Limits& limits);

// Sends those that are missing.
WriteAnswer put_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                      const Limits& limits);

}  // namespace hipcache::remote

#endif
