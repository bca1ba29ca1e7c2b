// Serves a split compile: plans it as a graph of steps, and finds or runs each of them.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_SPLIT_H
#define HIPCACHE_SRC_DAEMON_ROUTES_SPLIT_H

#include <optional>

#include "daemon/reply/conclusion.h"
#include "daemon/request/request_context.h"

namespace hipcache::daemon {

// Returns nothing if the client was answered, else the reason why the compiler has to run alone.
std::optional<compiler::Uncacheable> serve_split(Conclusion& conclusion, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
