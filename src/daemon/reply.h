// The last message of a conversation. A client that does not take it is gone; there is nothing more to do for it.
#ifndef HIPCACHE_DAEMON_REPLY_H
#define HIPCACHE_DAEMON_REPLY_H

#include <chrono>
#include <vector>

#include "daemon/services.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

inline void reply(protocol::Channel& channel, const protocol::Message& message, const std::vector<int>& descriptors,
                  const Services& services) {
  constexpr std::chrono::seconds kLimit{30};
  if (Status sent = channel.send(message, descriptors, kLimit); !sent)
    services.log.info("reply not taken: " + sent.error().message);
}

}  // namespace hipcache::daemon

#endif
