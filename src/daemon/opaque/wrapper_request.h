// Whether a request is one of a wrapper that runs each time (daemon/shared/wrappers.h).
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_WRAPPER_REQUEST_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_WRAPPER_REQUEST_H

#include "daemon/request/request.h"

namespace hipcache::daemon {

// Why a request is answered otherwise: its program was seen to start a compiler, so it runs each time. Never shown.
inline constexpr const char* kStartsCompiler = "starts-a-compiler";

bool runs_each_time(const Request& request, Wrappers& wrappers);

// Whether a run that proves nothing was one of a wrapper: a script's, or one that also ran another driver. `ran`: the
// programs that left a trace.
bool is_run_of_wrapper(const Request& request, const std::vector<std::string>& ran);

// Remembers that the request's program is a wrapper, so that it runs each time from now on.
void note_wrapper(const Request& request, Wrappers& wrappers);

}  // namespace hipcache::daemon

#endif
