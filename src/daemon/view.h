// Where the parts of the installation are.
#ifndef HIPCACHE_DAEMON_VIEW_H
#define HIPCACHE_DAEMON_VIEW_H

#include <string>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

// ../lib/libhipcache-trace.so from this program's directory, links resolved: installations may be moved and linked to.
Result<std::string> find_trace_library();

}  // namespace hipcache::daemon

#endif
