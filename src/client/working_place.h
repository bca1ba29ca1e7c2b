// Where the daemon works when the cache directory can only be read.
//
// Problem: a socket, locks, a log and temporary files have to be written somewhere. A cache directory on a read-only
// mount, or somebody else's, has no place for them.
// Choice: with HIPCACHE_READONLY the daemon gets a cache directory of its own,
//   $XDG_RUNTIME_DIR/hipcache-<hash of the cache directory>, else
//   /tmp/hipcache-<uid>-<hash of the cache directory>
// and reads the user's directory as a seed (HIPCACHE_SEED). Only the client knows this: the launcher finds no socket
// and runs the client, which costs some milliseconds for each compile.
// Rejected: to do so without HIPCACHE_READONLY (the user would not learn that nothing is kept), and to look for this
// place in the launcher (further system calls for every hit of everybody).
#ifndef HIPCACHE_SRC_CLIENT_WORKING_PLACE_H
#define HIPCACHE_SRC_CLIENT_WORKING_PLACE_H

#include "hipcache/config/settings.h"

namespace hipcache::client {

// `located` with the directory in which the daemon works. `seeds` are what the daemon is to be told, and empty where it
// reads them in its own settings. Makes the directory.
config::Settings working_place(config::Settings located);

}  // namespace hipcache::client

#endif
