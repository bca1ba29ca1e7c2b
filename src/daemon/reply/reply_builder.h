// Builds and sends the final reply of a compile: what is counted, what is printed, and which files are placed or
// removed, as the driver would have done.
#ifndef HIPCACHE_SRC_DAEMON_REPLY_REPLY_BUILDER_H
#define HIPCACHE_SRC_DAEMON_REPLY_REPLY_BUILDER_H

#include <optional>

#include "daemon/reply/conclusion.h"
#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "daemon/request/services.h"
#include "daemon/steps/step_graph.h"

namespace hipcache::daemon {

// Answers a request whose result is stored. On an error (a blob is gone or damaged) nothing was sent, and the steps
// must be looked up.
Status answer_hit(Conclusion& conclusion, const Request& request, const cache::ActionResult& whole,
                  const Services& services);

// Answers a request whose steps all succeeded, with `outcome` for the statistics. The outputs are in the request's
// directory or in the store.
std::optional<compiler::Uncacheable> answer_success(Conclusion& conclusion, const Request& request,
                                                    const StepGraph& graph, const RequestDirectory& directory,
                                                    const cache::ActionResult& whole, stats::Outcome outcome,
                                                    const Services& services);

// Answers a request with a failed step. The compiler's own error messages are the answer. If the compiler crashed or a
// linker failed, the driver prints and writes more than the daemon knows, so the client must run it.
std::optional<compiler::Uncacheable> answer_failure(Conclusion& conclusion, const Request& request,
                                                    const StepGraph& graph, const std::string& driver_stderr,
                                                    const RequestDirectory& directory, const Services& services);

}  // namespace hipcache::daemon

#endif
