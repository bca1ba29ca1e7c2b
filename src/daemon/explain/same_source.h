// Compiles of an equal source that made another output: in another directory, or under another name.
//
// The problem: the miss history is kept by output, so the first compile in another checkout would only be told that
// nothing is stored. The choice: an entry stands also in a list that is named after the source's name and content. A
// source that was edited is not found there; it is a miss wherever it lies. Rejected: a list by the source's name
// alone, because a project has many a main.cpp.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_SAME_SOURCE_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_SAME_SOURCE_H

#include <optional>
#include <string>

#include "daemon/explain/miss_difference.h"
#include "daemon/request/request_context.h"

namespace hipcache::daemon {

// The name of the list; nothing for a command without a source, or with several.
std::optional<Digest> same_source_key(const RequestContext& context);

// The absolute path of what the request makes.
std::string object_path(const Request& request);

// What to tell of a request that was only compared with the compile of `object`, and what would make it a hit.
Differences other_output(const std::string& object, const Request& request);

}  // namespace hipcache::daemon

#endif
