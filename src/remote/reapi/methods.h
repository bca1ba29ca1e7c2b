// The methods that hipcache calls, and the types of their calls.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_METHODS_H
#define HIPCACHE_SRC_REMOTE_REAPI_METHODS_H

#include <cstdint>

#include "operations.pb.h"
#include "remote/reapi/blob_stream.h"
#include "remote/reapi/rpc/calls.h"
#include "remote_execution.pb.h"

namespace hipcache::remote {

namespace wire = ::build::bazel::remote::execution::v2;

inline constexpr const char* kGetActionResult = "/build.bazel.remote.execution.v2.ActionCache/GetActionResult";
inline constexpr const char* kUpdateActionResult = "/build.bazel.remote.execution.v2.ActionCache/UpdateActionResult";
inline constexpr const char* kFindMissingBlobs =
    "/build.bazel.remote.execution.v2.ContentAddressableStorage/FindMissingBlobs";
inline constexpr const char* kBatchUpdateBlobs =
    "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchUpdateBlobs";
inline constexpr const char* kGetCapabilities = "/build.bazel.remote.execution.v2.Capabilities/GetCapabilities";

using GetActionCall = UnaryCall<wire::GetActionResultRequest, wire::ActionResult>;
using UpdateActionCall = UnaryCall<wire::UpdateActionResultRequest, wire::ActionResult>;
using FindMissingCall = UnaryCall<wire::FindMissingBlobsRequest, wire::FindMissingBlobsResponse>;
using BatchUpdateCall = UnaryCall<wire::BatchUpdateBlobsRequest, wire::BatchUpdateBlobsResponse>;
using CapabilitiesCall = UnaryCall<wire::GetCapabilitiesRequest, wire::ServerCapabilities>;

inline void set(wire::Digest& digest, const BlobName& name) {
  digest.set_hash(name.hash);
  digest.set_size_bytes(static_cast<std::int64_t>(name.size));
}

}  // namespace hipcache::remote

#endif
