// The ties of a step's key: what its command says that another machine or directory says otherwise.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_COMMAND_TIES_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_COMMAND_TIES_H

#include "daemon/explain/tie_list.h"
#include "daemon/request/request.h"
#include "daemon/steps/step_spec.h"

namespace hipcache::daemon {

void add_command_ties(const StepSpec& spec, const Request& request, TieList& ties);

}  // namespace hipcache::daemon

#endif
