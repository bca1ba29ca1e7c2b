// How long the client waits for what, in one place. No compile waits longer for the cache than these allow: after that
// the real compiler runs.
#ifndef HIPCACHE_CLIENT_PATIENCE_H
#define HIPCACHE_CLIENT_PATIENCE_H

#include <chrono>

#include "hipcache/protocol/messages.h"

namespace hipcache::client {

struct Patience {
  std::chrono::milliseconds connect{1'000};        // room in the daemon's queue
  std::chrono::milliseconds start{3'000};          // from starting a daemon to its socket
  std::chrono::milliseconds send{10'000};          // the daemon takes one message
  std::chrono::milliseconds first_answer{10'000};  // from the request to anything at all
  std::chrono::milliseconds moment{50};            // without an answer, before a look at what others say of the daemon
  std::chrono::milliseconds retry{10'000};         // a daemon that hung is tried again after this time, by one client
  std::chrono::milliseconds silence{protocol::kSilenceLimit};  // while no step of ours runs
  std::chrono::milliseconds leave{2'000};      // an older daemon's socket is gone after it was asked to stop
  std::chrono::milliseconds terminate{2'000};  // from SIGTERM to SIGKILL for a step that is of no use any more
};

}  // namespace hipcache::client

#endif
