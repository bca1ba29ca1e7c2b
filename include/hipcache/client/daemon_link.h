// The way to the daemon of one cache directory: connect to it, start it if there is none, ask it to leave.
//
// Many clients start at once under `ninja -j`; a lock on <dir>/start.lock lets one of them start the daemon while the
// others wait for its socket. The daemon is nobody's child: it has a session of its own and holds none of our
// descriptors, so that neither a terminal nor make's jobserver is kept alive by it.
#ifndef HIPCACHE_CLIENT_DAEMON_LINK_H
#define HIPCACHE_CLIENT_DAEMON_LINK_H

#include <string>

#include "hipcache/base/result.h"
#include "hipcache/client/patience.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::client {

// "hipcached" beside this program, links resolved.
Result<std::string> daemon_beside_us();

class DaemonLink {
 public:
  DaemonLink(const config::Settings& located, Patience patience);

  // To a daemon that is there; fails if there is none.
  Result<protocol::Channel> connect() const;

  Result<protocol::Channel> connect_or_start() const;

  // Asks the daemon, of whatever version, to stop, and waits until a new one can take its place. True if there was one.
  Result<bool> ask_to_leave() const;

  // The same, and waits until its process has ended: at most `limit`, for it finishes what it is doing.
  Result<bool> stop(std::chrono::milliseconds limit) const;

  // Where the daemon makes its requests' temporary directories.
  std::string temporary_root() const { return directory_ + "/tmp"; }

 private:
  Result<protocol::Channel> start() const;
  Result<protocol::Channel> wait_for_socket(int process) const;

  std::string directory_;
  std::string file_;
  Patience patience_;
};

}  // namespace hipcache::client

#endif
