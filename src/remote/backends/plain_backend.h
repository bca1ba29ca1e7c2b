// Lists, results and blobs over a plain store:
//
//   <prefix>/v1/w/<2 hex>/<hex>   list of an action key
//   <prefix>/v1/r/<2 hex>/<hex>   result
//   <prefix>/v1/b/<2 hex>/<hex>   blob
//
// A blob that came back damaged is written again by the next put, although the server has one.
//
// The namespace of the settings is in no name, because it is in every key already, and because a daemon serves clients
// of several namespaces. Who wants places with rights of their own gives tiers of different prefixes.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_PLAIN_BACKEND_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_PLAIN_BACKEND_H

#include <memory>
#include <string>

#include "remote/layout/key_value.h"

namespace hipcache::remote {

// `prefix` may be empty. `max_bytes`: the largest value, over the wire and decoded.
std::unique_ptr<Backend> make_plain_backend(std::unique_ptr<KeyValue> store, const std::string& prefix,
                                            std::uint64_t max_bytes);

}  // namespace hipcache::remote

#endif
