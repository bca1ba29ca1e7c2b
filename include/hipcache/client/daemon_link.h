// The way to the daemon of one cache directory: connect to it, start it if there is none, ask it to leave.
//
// Many clients start at once under `ninja -j`; a lock (start.lock in the daemon's directory) lets one of them start the
// daemon while the others wait for its socket. The daemon is nobody's child: it has a session of its own and holds none
// of our descriptors, so that neither a terminal nor make's jobserver is kept alive by it.
#ifndef HIPCACHE_CLIENT_DAEMON_LINK_H
#define HIPCACHE_CLIENT_DAEMON_LINK_H

#include <string>
#include <vector>

#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/client/patience.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::client {

// "hipcached" beside this program, links resolved.
Result<std::string> daemon_beside_us();

class DaemonLink {
 public:
  // A cache directory that can only be read is read by a daemon that works elsewhere (HIPCACHE_READONLY).
  DaemonLink(const config::Settings& located, Patience patience);

  // To a daemon that is there; fails if there is none.
  Result<protocol::Channel> connect() const { return connect(patience_.connect); }
  // The same with another limit. ErrorCode::timed_out: one listens, and its queue of connections has no room.
  Result<protocol::Channel> connect(std::chrono::milliseconds limit) const;

  Result<protocol::Channel> connect_or_start() const;

  // Asks the daemon, of whatever version, to stop, and waits until a new one can take its place. True if there was one.
  Result<bool> ask_to_leave() const;

  // The same, and waits until its process has ended: at most `limit`, for it finishes what it is doing. Whether there
  // is one is told by its lock; one that holds the lock and does not answer is sent SIGTERM.
  Result<bool> stop(std::chrono::milliseconds limit) const;

  // Where the daemon makes its requests' temporary directories.
  Result<std::string> socket_path() const { return protocol::socket_path(directory_); }

  std::string temporary_root() const { return home_ + "/tmp"; }

 private:
  config::Settings place() const;  // what opens the cache directory
  Result<protocol::Channel> start() const;
  Result<protocol::Channel> wait_for_socket(int process, int said) const;
  Result<bool> stop_by_request(std::chrono::milliseconds limit) const;
  Result<bool> stop_by_signal(const OwnDirectory& directory, std::chrono::milliseconds limit) const;

  DaemonLink(Patience patience, const config::Settings& place);

  std::string directory_;  // of the cache
  std::string home_;       // of the daemon of this user and view
  std::string user_home_;  // that must exist: see config::Settings
  std::string file_;
  std::vector<std::string> seeds_;  // for the daemon in place of those of its settings; empty: it has those
  Patience patience_;
};

}  // namespace hipcache::client

#endif
