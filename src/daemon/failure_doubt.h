// Whether a failed step tells of the source, or of trouble that the cache may have caused.
//
// The problem: a step runs with its temporary files and its trace in a directory of ours. A full disk there, or a
// signal, fails a compile that the compiler alone would do. The choice: each sign of such trouble is a doubt, and the
// compiler then runs again by itself, as typed. A doubt too many costs a failed compile its time once more; one too few
// fails a good build.
#ifndef HIPCACHE_DAEMON_FAILURE_DOUBT_H
#define HIPCACHE_DAEMON_FAILURE_DOUBT_H

#include <string>

#include "daemon/step_work.h"

namespace hipcache::daemon {

// Empty: the failure is the source's. REQUIRES: the texts of the step were taken.
std::string doubt_of_failure(const StepWork& failed, const std::string& trace_path, const Request& request,
                             const RequestDirectory& directory);

}  // namespace hipcache::daemon

#endif
