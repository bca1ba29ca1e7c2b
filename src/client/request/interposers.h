// Libraries of the user's that watch which programs start (LD_PRELOAD).
//
// The problem: Bear records a compilation database that way. The launcher and the client are static programs, so no
// library sees the compilers that they start, and a hit starts none.
// The choice: where a known recorder is at work, the compiler runs without the cache, started by a dynamic program that
// the recorder sees. Of any other library that replaces exec functions, a notice says what it does not see.
// Rejected: a name of a launcher that recorders know, because each has a list of its own.
#ifndef HIPCACHE_SRC_CLIENT_REQUEST_INTERPOSERS_H
#define HIPCACHE_SRC_CLIENT_REQUEST_INTERPOSERS_H

#include <string>
#include <vector>

#include "hipcache/config/settings.h"

namespace hipcache::client {

// Replaces this process by env(1), which starts the compiler as a program that preloaded libraries see. Returns if it
// cannot.
void exec_where_recorders_see(const std::vector<std::string>& argv);

// The preloaded libraries, by their names in the value of LD_PRELOAD, that replace functions of the exec family.
std::vector<std::string> libraries_that_watch_programs(const std::string& preload);

// A line for each of them.
std::vector<std::string> notices_on_interposers(const config::Lookup& variable);

}  // namespace hipcache::client

#endif
