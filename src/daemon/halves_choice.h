// Which device steps of a request may run with their halves apart (halves_run.h).
#ifndef HIPCACHE_DAEMON_HALVES_CHOICE_H
#define HIPCACHE_DAEMON_HALVES_CHOICE_H

#include <vector>

#include "daemon/request.h"
#include "daemon/services.h"
#include "hipcache/plan/plan.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// Takes the halves from the steps whose compiler is not proved, or for which they do not pay. Has the client prove what
// a step that will run needs and nobody has proved.
void drop_halves(std::vector<plan::Step>& steps, protocol::Channel& channel, const Request& request,
                 const Services& services, store::Lease& lease);

}  // namespace hipcache::daemon

#endif
