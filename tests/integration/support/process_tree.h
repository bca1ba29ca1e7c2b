// A process and its descendants, as a terminal's Ctrl-Z reaches them.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_PROCESS_TREE_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_PROCESS_TREE_H

#include <sys/types.h>

#include <vector>

namespace hipcache::integration {

// The processes that it started, directly or indirectly.
std::vector<pid_t> descendants(pid_t process);

// Stops the processes, and those that they start meanwhile. False if they did not all stop.
bool stop_with_descendants(pid_t process);
bool stop_descendants(pid_t process);

void go_on_with_descendants(pid_t process);

}  // namespace hipcache::integration

#endif
