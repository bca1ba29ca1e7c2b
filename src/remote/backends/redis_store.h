// A Redis or Valkey server as a plain store. Keys are "hipcache/" and the name; the server evicts by its own policy.
//
// Lists are changed with WATCH, MULTI and EXEC: a list that another client changed meanwhile is read again, so no path
// set is lost. Rejected: a sorted set for each list, whose members would be whole path sets and travel without
// compression; a script (EVAL), which some services do not allow.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_REDIS_STORE_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_REDIS_STORE_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/layout/key_value.h"

namespace hipcache::remote {

std::unique_ptr<KeyValue> make_redis_store(const config::RemoteUrl& url);

}  // namespace hipcache::remote

#endif
