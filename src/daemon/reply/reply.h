// Sends the last message of a conversation. If the client does not take the message, it is gone, and nothing more can
// be done.
#ifndef HIPCACHE_SRC_DAEMON_REPLY_REPLY_H
#define HIPCACHE_SRC_DAEMON_REPLY_REPLY_H

#include <chrono>
#include <vector>

#include "daemon/request/reason.h"
#include "daemon/request/services.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/trace/loads_library.h"

namespace hipcache::daemon {

// Whether the client took it.
inline bool reply(protocol::Channel& channel, const protocol::Message& message, const std::vector<int>& descriptors,
                  const Services& services) {
  constexpr std::chrono::seconds kLimit{30};
  const Status sent = channel.send(message, descriptors, kLimit);
  if (!sent) services.log.info("reply not taken: " + sent.error().message);
  return sent.ok();
}

// Tells the client to run the wrapper (daemon/shared/wrappers.h).
inline bool reply_wrapper(protocol::Channel& channel, const std::string& wrapper, const Services& services) {
  const bool loads = hipcache_loads_library(wrapper.c_str());
  return reply(channel, protocol::PassThrough{reason::kWrapper, loads ? services.trace_library : ""}, {}, services);
}

}  // namespace hipcache::daemon

#endif
