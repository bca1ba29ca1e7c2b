// The files that a command names, for commands that hipcache does not understand.
#ifndef HIPCACHE_SRC_DAEMON_EVENTS_NAMES_TYPED_H
#define HIPCACHE_SRC_DAEMON_EVENTS_NAMES_TYPED_H

#include <string>
#include <vector>

namespace hipcache::daemon {

struct NamesTyped {
  std::string object;  // after -o
  std::string source;  // the first word that ends like a source; empty if there is none
};

// A guess for people: nothing is decided by it.
NamesTyped names_typed(const std::vector<std::string>& argv);

}  // namespace hipcache::daemon

#endif
