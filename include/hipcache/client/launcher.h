// `hipcache <compiler> <arguments>`: the compile, from the cache if it can be, else by the compiler itself.
//
// Whatever is wrong with the cache, the compile happens, and what is printed is what the compiler prints. Trouble is
// told in the log alone (HIPCACHE_LOG).
#ifndef HIPCACHE_CLIENT_LAUNCHER_H
#define HIPCACHE_CLIENT_LAUNCHER_H

#include <string>
#include <vector>

#include "hipcache/client/handed_over.h"
#include "hipcache/client/patience.h"

namespace hipcache::client {

// Returns the exit code, or does not return: then this process has become the compiler.
int launch(std::vector<std::string> argv, Patience patience, HandedOver begun = {});

}  // namespace hipcache::client

#endif
