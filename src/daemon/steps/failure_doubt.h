// Whether a step failed because of the source, or because of trouble that the cache may have caused.
//
// The problem: a step's temporary files and trace lie in a directory of the daemon's. A full disk there, or a signal,
// fails a compile that would succeed without the cache. The choice: each sign of such trouble is a doubt, and the
// client then runs the compiler by itself, as typed. A false doubt costs a failed compile its time again; a missed one
// fails a good build.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_FAILURE_DOUBT_H
#define HIPCACHE_SRC_DAEMON_STEPS_FAILURE_DOUBT_H

#include <string>

#include "daemon/steps/step_state.h"

namespace hipcache::daemon {

// Empty if the failure is the source's. REQUIRES: take_texts() was called for the step.
std::string doubt_of_failure(const StepResult& failed, const std::string& trace_path, const StepContext& context);

}  // namespace hipcache::daemon

#endif
