// Sends the last message of a conversation. If the client does not take the message, it is gone, and nothing more can
// be done.
#ifndef HIPCACHE_SRC_DAEMON_REPLY_REPLY_H
#define HIPCACHE_SRC_DAEMON_REPLY_REPLY_H

#include <chrono>
#include <vector>

#include "daemon/request/services.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// Whether the client took it.
inline bool reply(protocol::Channel& channel, const protocol::Message& message, const std::vector<int>& descriptors,
                  const Services& services) {
  constexpr std::chrono::seconds kLimit{30};
  const Status sent = channel.send(message, descriptors, kLimit);
  if (!sent) services.log.info("reply not taken: " + sent.error().message);
  return sent.ok();
}

}  // namespace hipcache::daemon

#endif
