// What became of a command that ran as it was typed: its files are where the user wants them, and are read from there.
#ifndef HIPCACHE_DAEMON_UNDIVIDED_RUN_H
#define HIPCACHE_DAEMON_UNDIVIDED_RUN_H

#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "daemon/step_work.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// Reads all that is the user's to change again; what is left, storing it, is `work.store`. REQUIRES: it succeeded, and
// what it printed has been taken in; the arguments live until that has been called. Whatever speaks against recording
// it is the step's refusal, never an error: the user has what he asked for.
Status take_undivided(StepWork& work, const protocol::StepDone& report, const Request& request,
                      const RequestDirectory& directory, const Services& services, store::Lease& lease);

}  // namespace hipcache::daemon

#endif
