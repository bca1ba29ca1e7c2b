// The context of steps that run in one directory: the request's, and that directory. A request has several: for its
// probes, its proofs and its steps.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_STEP_CONTEXT_H
#define HIPCACHE_SRC_DAEMON_REQUEST_STEP_CONTEXT_H

#include "daemon/request/request_context.h"
#include "daemon/request/request_directory.h"

namespace hipcache::daemon {

struct StepContext : RequestContext {
  const RequestDirectory& directory;
};

}  // namespace hipcache::daemon

#endif
