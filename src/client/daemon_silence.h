// What clients tell each other about a daemon that does not answer.
//
// The problem: a daemon that is stopped or hangs accepts connections all the same, and each compile of a build waits
// for it in vain. The choice: the client that waited leaves a mark beside the socket ("daemon.hung"). Who finds the
// mark young, and no answer within a moment, becomes the compiler at once. When the mark is old, one client tries again
// and makes the mark young meanwhile; an answer removes it. A hit costs no system call for this: an answer that comes
// within that moment is taken without a look at the mark. A mark older than the socket tells of another daemon and
// counts for nothing. Where no mark can be written, each client waits for itself.
//
// Rejected: another name for the socket (the daemon takes its socket's absence as its own end); the daemon's process
// number in the mark (containers count processes anew). Used by one thread.
#ifndef HIPCACHE_SRC_CLIENT_DAEMON_SILENCE_H
#define HIPCACHE_SRC_CLIENT_DAEMON_SILENCE_H

#include <chrono>
#include <string>

#include "hipcache/base/files.h"

namespace hipcache::client {

class DaemonSilence {
 public:
  // The mark lies beside the socket, named like it with "hung" for "sock".
  DaemonSilence(std::string socket_path, std::chrono::milliseconds retry);

  // Whether it is known, and not this client's turn to try again. Takes the turn if the mark is old and nobody has it.
  bool is_known();

  // Makes it known.
  void note() const;

  // The daemon answered.
  void forget() const;

 private:
  std::string socket_;
  std::string mark_;
  std::chrono::milliseconds retry_;
  UniqueFd turn_;  // held: the lock on the mark
};

// Whether the process at the other end of the connection is stopped (SIGSTOP). False if that cannot be told.
bool is_peer_stopped(int connection);

}  // namespace hipcache::client

#endif
