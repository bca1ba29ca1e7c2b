// Starts the process that makes wrapper headers in idle time, after a job whose reply asked for it
// (Finish::wants_headers).
//
// It sends the job's command again, waits as long as the daemon lets it, and runs the compilers that the daemon asks
// for: in the job's environment, directory, limits and control group, with the lowest priority. As the daemon, it has a
// session of its own and none of our descriptors, so nobody waits for it: no pipe of a build tool, no terminal, no
// jobserver. It prints nothing, and ends with the daemon, or on any trouble.
// Rejected: compilers that the daemon starts itself. They would run with the limits of another client, and outside of
// this job's control group.
#ifndef HIPCACHE_SRC_CLIENT_REQUEST_HEADERS_H
#define HIPCACHE_SRC_CLIENT_REQUEST_HEADERS_H

#include <string>
#include <vector>

#include "hipcache/client/daemon_link.h"
#include "hipcache/client/timeouts.h"

namespace hipcache::client {

// Does nothing where no daemon would be started. REQUIRES: no other thread; the caller ends soon.
void start_making_headers(const DaemonLink& link, const std::vector<std::string>& argv, Timeouts timeouts);

}  // namespace hipcache::client

#endif
