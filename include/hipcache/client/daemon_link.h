// The connection to the daemon of one cache directory: connects to it, starts it if it is missing,
// asks it to leave.
//
// `ninja -j` starts many clients at once. A lock (start.lock in the daemon's directory) lets one of
// them start the daemon while the others wait for its socket. The daemon has a session of its own
// and inherits none of our descriptors. So it keeps neither a terminal nor make's jobserver open.
#ifndef HIPCACHE_CLIENT_DAEMON_LINK_H
#define HIPCACHE_CLIENT_DAEMON_LINK_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/client/timeouts.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::client {

class ProcessWatch;

class DaemonLink {
 public:
  // If HIPCACHE_READONLY is set and the cache directory is not writable, the daemon works in
  // another directory and reads this one as a seed (client/connection/daemon_link.cpp).
  DaemonLink(const config::Settings& located, Timeouts timeouts);

  // Connects to a running daemon; fails if there is none.
  Result<protocol::Channel> connect() const { return connect(timeouts_.connect); }
  // The same with another limit. ErrorCode::timed_out: a daemon listens, but its queue of
  // connections is full.
  Result<protocol::Channel> connect(std::chrono::milliseconds limit) const;

  // ErrorCode::unserved: no daemon is started, because a tracer follows this process, or because another machine's
  // daemon holds the lock.
  Result<protocol::Channel> connect_or_start() const;
  // The same also for a process that is alone in its namespace (client/connection/lone_namespace.h).
  Result<protocol::Channel> connect_or_start_for_compile() const;

  // Waits, at most a second, until the daemon that closed this connection without a reply has ended. A process that is
  // killed closes the connections that it accepted before its socket, so that a new connection would be closed, too.
  static void await_end_after(const protocol::Channel& closed);

  // Whether a daemon could work in the cache directory. Makes the directory if it is missing. An error names the
  // directory and the remedy.
  Status check_directory() const;

  // Asks the daemon, of any version, to stop, and waits until a new one can take its place. True if
  // there was one.
  Result<bool> ask_to_leave() const;

  // Stops the daemon and waits at most `limit` for its process to end, since it finishes its work
  // first. The daemon's lock tells whether one runs. A daemon that holds the lock and does not
  // reply is sent SIGTERM.
  Result<bool> stop(std::chrono::milliseconds limit) const;

  Result<std::string> socket_path() const { return protocol::socket_in(home_); }

  // The daemon that offers itself to processes in other mount namespaces, if it is not that of this one. For connect()
  // only. It may refuse this process.
  std::optional<DaemonLink> outer() const;

  // The settings that the running daemon wrote down when it started (hipcache/config/cache_place.h). Empty if
  // there are none, e.g. of a daemon of an earlier version.
  std::string daemon_settings() const;

  std::string temporary_root() const { return home_ + "/tmp"; }

  // Of the daemon of this user and view; below the cache directory.
  const std::string& daemon_directory() const { return home_; }

 private:
  config::Settings place() const;  // the settings that open the cache directory
  Result<OwnDirectory> open_home() const;
  Status check_lock(const OwnDirectory& home) const;
  Result<protocol::Channel> start() const;
  Result<protocol::Channel> wait_for_socket(const ProcessWatch& process, int said) const;
  Result<bool> stop_by_request(std::chrono::milliseconds limit) const;
  Result<bool> stop_by_signal(const OwnDirectory& directory, std::chrono::milliseconds limit) const;

  DaemonLink(Timeouts timeouts, const config::Settings& place);

  std::string directory_;  // of the cache
  std::string home_;       // of the daemon of this user and view
  std::string user_home_;  // must exist: see config::Settings
  std::string file_;
  // Passed to the daemon in place of the seeds of its settings; empty: it keeps its own.
  std::vector<std::string> seeds_;
  Timeouts timeouts_;
};

}  // namespace hipcache::client

#endif
