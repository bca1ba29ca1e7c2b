// The ties of a path set: the questions whose present answers another machine or directory does not give.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_INPUT_TIES_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_INPUT_TIES_H

#include "daemon/explain/tie_list.h"
#include "daemon/request/request_context.h"
#include "daemon/steps/step_spec.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::daemon {

void add_input_ties(const inputs::PathSet& set, const StepSpec& spec, const RequestContext& context, TieList& ties);

}  // namespace hipcache::daemon

#endif
