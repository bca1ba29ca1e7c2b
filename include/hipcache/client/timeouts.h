// The client's timeouts, in one place. No compile waits longer for the cache than these allow; then
// the real compiler runs.
#ifndef HIPCACHE_CLIENT_TIMEOUTS_H
#define HIPCACHE_CLIENT_TIMEOUTS_H

#include <chrono>

#include "hipcache/protocol/messages.h"

namespace hipcache::client {

struct Timeouts {
  std::chrono::milliseconds connect{1'000};  // room in the daemon's queue
  // From starting a daemon to its socket. That takes 20 ms; the rest is for a machine that is out of memory, or whose
  // disk or hypervisor stalls. A daemon that ends is noticed at once.
  std::chrono::milliseconds start{10'000};
  std::chrono::milliseconds send{10'000};         // the daemon takes one message
  std::chrono::milliseconds first_reply{10'000};  // from the request to the first message
  // Without a reply for this long, the client checks what other clients noted about the daemon.
  std::chrono::milliseconds moment{50};
  // After this time one client tries a daemon that hung again.
  std::chrono::milliseconds retry{10'000};
  std::chrono::milliseconds silence{protocol::kSilenceLimit};  // while none of our steps runs
  // From asking an older daemon to stop to the removal of its socket.
  std::chrono::milliseconds leave{2'000};
  // From the wish to stop a daemon that accepts no connection (it starts, leaves, or lost its socket) to SIGTERM.
  std::chrono::milliseconds mute{3'000};
  std::chrono::milliseconds terminate{2'000};  // from SIGTERM to SIGKILL, for a needless step
};

}  // namespace hipcache::client

#endif
