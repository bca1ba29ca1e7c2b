// The link by which processes in other mount namespaces find this daemon (hipcache/launcher/daemon_address.h).
//
// One daemon has it, for all namespaces of one user and root directory: the first, until it ends. That is mostly the
// one outside of the others. Another user may plant a link where a group shares the cache directory: clients connect
// only to daemons of their own user.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_OUTER_NAME_H
#define HIPCACHE_SRC_DAEMON_SERVER_OUTER_NAME_H

#include <string>
#include <utility>

#include "hipcache/base/own_directory.h"

namespace hipcache::daemon {

class OuterName {
 public:
  // `daemon`: the name of this daemon's directory in the cache directory, which outlives the object.
  OuterName(const OwnDirectory& cache, std::string daemon) : cache_(cache), daemon_(std::move(daemon)) {}
  ~OuterName();
  OuterName(const OuterName&) = delete;
  OuterName& operator=(const OuterName&) = delete;

  // Takes the name if no living daemon has it. Called again and again: that one may end.
  void take_if_free() const;

 private:
  const OwnDirectory& cache_;
  const std::string daemon_;
};

}  // namespace hipcache::daemon

#endif
