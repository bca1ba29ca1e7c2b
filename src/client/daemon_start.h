// Starting a program that outlives us and has nothing of ours.
#ifndef HIPCACHE_SRC_CLIENT_DAEMON_START_H
#define HIPCACHE_SRC_CLIENT_DAEMON_START_H

#include <sys/types.h>

#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"

namespace hipcache::client {

struct Detached {
  UniqueFd process;  // becomes readable when the process ends
  UniqueFd said;     // what it prints to its standard error, for as long as this is open. Reading does not wait
};

// In a session of its own, adopted by init, in "/", input and output at /dev/null, every other descriptor but standard
// error closed; writing to that never waits. REQUIRES: no other thread.
Result<Detached> start_detached(const std::string& program, const std::vector<std::string>& environment);

// A descriptor that becomes readable when the process ends; invalid if there is none of that number.
UniqueFd watch_process(pid_t pid);

}  // namespace hipcache::client

#endif
