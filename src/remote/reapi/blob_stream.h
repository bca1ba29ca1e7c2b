// Large blobs by ByteStream, compressed on the way if the server offers it. They may be of any size, and each piece is
// progress, which a call with one answer does not show. So blobs are read by ByteStream only: BatchReadBlobs saves
// nothing for the blobs that hipcache asks for, of which the small ones travel within results.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_BLOB_STREAM_H
#define HIPCACHE_SRC_REMOTE_REAPI_BLOB_STREAM_H

#include <string>

#include "remote/layout/backend.h"
#include "remote/reapi/blob_name.h"
#include "remote/reapi/rpc/connection.h"

namespace hipcache::remote {

// The bytes, of which only the number has been checked. Nothing if the server has no such blob.
Answer<std::string> read_blob(Connection& connection, const BlobName& name, bool zstd, const Limits& limits);

WriteAnswer write_blob(Connection& connection, const BlobName& name, const std::string& bytes, bool zstd,
                       const Limits& limits);

}  // namespace hipcache::remote

#endif
