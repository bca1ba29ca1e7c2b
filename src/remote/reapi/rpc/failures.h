// From the status of a gRPC call to what hipcache makes of it. No type of gRPC, so that few files compile its headers.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_RPC_FAILURES_H
#define HIPCACHE_SRC_REMOTE_REAPI_RPC_FAILURES_H

#include <string>

#include "remote/layout/backend.h"

namespace hipcache::remote {

// gRPC's status codes.
enum class RpcCode {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

// How a call ended.
struct RpcEnd {
  RpcCode code = RpcCode::ok;
  std::string message;         // not to be shown if a server may have written it: it may repeat what was sent
  bool was_connected = false;  // else the message is gRPC's own
  bool timed_out = false;      // a limit of ours was reached; the code says nothing
};

enum class Direction { read, write };

bool is_ok(const RpcEnd& end);

// Whether the server says that it has not got what was asked for. FAILED_PRECONDITION and OUT_OF_RANGE belong here:
// some servers say so of an action whose blobs are gone.
bool is_miss(const RpcEnd& end);

// REQUIRES: !is_ok(end)
Failure failure_of(const RpcEnd& end, Direction direction);

// The same for a code within an answer.
Failure failure_of(RpcCode code, Direction direction);

}  // namespace hipcache::remote

#endif
