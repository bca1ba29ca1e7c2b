// A process and all that it started, as a terminal's ^Z reaches them.
#ifndef HIPCACHE_TESTS_INTEGRATION_PROCESS_TREE_H
#define HIPCACHE_TESTS_INTEGRATION_PROCESS_TREE_H

#include <sys/types.h>

#include <vector>

namespace hipcache::integration {

// Its children, and theirs.
std::vector<pid_t> descendants(pid_t process);

// Stops the processes; returns when all of them, and what they started meanwhile, are stopped. False: they did not.
bool stop_with_descendants(pid_t process);
bool stop_descendants(pid_t process);

void go_on_with_descendants(pid_t process);

}  // namespace hipcache::integration

#endif
