// Chooses the daemon's directory when the cache directory is read-only for this user.
//
// Problem: a socket, locks, a log and temporary files have to be written somewhere. A cache directory on a read-only
// mount, or of another user, has no place for them.
// Choice: with HIPCACHE_READONLY the daemon gets a cache directory of its own,
//   $XDG_RUNTIME_DIR/hipcache-<hash of the cache directory>, else
//   /tmp/hipcache-<uid>-<hash of the cache directory>
// and reads the user's directory as a seed (HIPCACHE_SEED). Only the client knows this: the launcher finds no socket
// and runs the client, which costs some milliseconds per compile.
// Rejected: doing so without HIPCACHE_READONLY (the user would not learn that nothing is stored), and looking for this
// directory in the launcher (more system calls for every hit).
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_WORKING_PLACE_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_WORKING_PLACE_H

#include "hipcache/config/settings.h"

namespace hipcache::client {

// Returns `located` with the directory in which the daemon works, which this function makes. `seeds` are the seeds to
// pass to the daemon; empty if the daemon reads them from its own settings.
config::Settings working_place(config::Settings located);

}  // namespace hipcache::client

#endif
