// Puts blobs into the server's content-addressable store: asks which of them are missing, sends the small ones together
// and the others by ByteStream.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_BLOB_UPLOADS_H
#define HIPCACHE_SRC_REMOTE_REAPI_BLOB_UPLOADS_H

#include <memory>
#include <span>
#include <string>

#include "remote/layout/backend.h"
#include "remote/reapi/blob_name.h"
#include "remote/reapi/capabilities.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {

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
