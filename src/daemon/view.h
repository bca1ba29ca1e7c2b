// How this process sees the file system, and where the parts of the installation are in it.
#ifndef HIPCACHE_DAEMON_VIEW_H
#define HIPCACHE_DAEMON_VIEW_H

#include <string>

#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

protocol::Namespace own_view();

// ../lib/libhipcache-trace.so from this program's directory, links resolved: installations may be moved and linked to.
Result<std::string> find_trace_library();

}  // namespace hipcache::daemon

#endif
