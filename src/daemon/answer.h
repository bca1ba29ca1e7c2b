// How a compile ends: what is counted, what is printed, which files are put in place or taken away, as the driver would
// have.
#ifndef HIPCACHE_DAEMON_ANSWER_H
#define HIPCACHE_DAEMON_ANSWER_H

#include <optional>

#include "daemon/conclusion.h"
#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "daemon/step_graph.h"

namespace hipcache::daemon {

// The one step of a command that is cached whole.
void count_undivided(const command::Invocation& invocation, bool hit, stats::Counters& counters);

// The whole request was found. An error (a blob that is gone or damaged) leaves everything to the steps.
Status answer_hit(Conclusion& conclusion, const Request& request, const action::ActionResult& whole,
                  const Services& services);

// All steps are through, and what became of the request is `outcome`. The outputs are where a run left them, or in the
// store.
std::optional<command::Uncacheable> answer_success(Conclusion& conclusion, const Request& request,
                                                   const StepGraph& graph, const RequestDirectory& directory,
                                                   const action::ActionResult& whole, stats::Outcome outcome,
                                                   const Services& services);

// A step failed. Where the compiler said why, that is the answer; where it crashed, or a linker failed, the real
// driver has more to say (and to write) than we know.
std::optional<command::Uncacheable> answer_failure(Conclusion& conclusion, const Request& request,
                                                   const StepGraph& graph, const std::string& driver_stderr,
                                                   const RequestDirectory& directory, const Services& services);

}  // namespace hipcache::daemon

#endif
