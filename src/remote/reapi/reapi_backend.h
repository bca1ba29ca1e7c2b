// A server of the Remote Execution API as a shared cache: bazel-remote, Buildbarn, NativeLink and others
// (docs/internals/formats.md has the layout).
//
// A look-up of a list is four questions at once, one for each slot. A list is changed by reading, merging and writing a
// slot, and reading it again after a while, because the API cannot compare before it writes. A result has its small
// blobs within. A large blob is found by the name that its result has for it, or by an action of its own: its name on
// the server is a SHA-256, which the interface of backends does not carry.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_REAPI_BACKEND_H
#define HIPCACHE_SRC_REMOTE_REAPI_REAPI_BACKEND_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"

namespace hipcache::remote {

// A list is spread over slots, by the id of its path sets: two machines that add different ones seldom meet.
inline constexpr unsigned kSlots = 4;

std::unique_ptr<Backend> make_reapi_backend(const config::RemoteUrl& url);

}  // namespace hipcache::remote

#endif
