// How clients tell each other about a daemon that does not reply.
//
// The problem: a daemon that is stopped or hangs still accepts connections, so each compile of a build would time out.
// The choice: the client that timed out leaves a mark beside the socket ("daemon.hung"). A client that gets no reply
// within a moment and finds a young mark executes the compiler at once. When the mark is old, one client tries again
// and renews the mark meanwhile; a reply removes the mark. A hit costs no extra system call: the mark is checked only
// when no reply came within that moment. A mark older than the socket belongs to an earlier daemon and is ignored.
// Where no mark can be written, each client waits for itself.
//
// Rejected: renaming the socket (a daemon stops when its socket is gone), and the daemon's process id in the mark
// (containers have their own process ids). Used by one thread.
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_SILENCE_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_SILENCE_H

#include <chrono>
#include <string>

#include "hipcache/base/files.h"

namespace hipcache::client {

class DaemonSilence {
 public:
  DaemonSilence(std::string socket_path, std::chrono::milliseconds retry);

  // Whether another client recorded the silence and it is not this client's turn to try again. Takes the turn if the
  // mark is old and no client has taken it.
  bool is_known();

  // Leaves or renews the mark.
  void note() const;

  // Removes the mark, because the daemon replied.
  void forget() const;

 private:
  std::string socket_;
  std::string mark_;
  std::chrono::milliseconds retry_;
  UniqueFd turn_;  // holds the lock on the mark while this client has the turn
};

// Whether the peer is stopped (SIGSTOP). False if the peer's process is not visible.
bool is_peer_stopped(int connection);

}  // namespace hipcache::client

#endif
