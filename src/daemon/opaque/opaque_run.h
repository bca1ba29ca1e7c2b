// Takes in the run of an opaque compile. Its outputs are where the user wants them, and are read from there.
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_OPAQUE_RUN_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_OPAQUE_RUN_H

#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "daemon/request/services.h"
#include "daemon/steps/step_state.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// Reads every file that the user may change later. Storing the result remains as `work.store`. REQUIRES: the command
// succeeded, and take_texts() was called; the arguments live until `work.store` has been called. Reasons against
// recording become the step's refusal and never an error, because the user has his outputs.
Status take_opaque(StepState& work, const protocol::StepDone& report, const Request& request,
                   const RequestDirectory& directory, const Services& services, store::Lease& lease);

}  // namespace hipcache::daemon

#endif
