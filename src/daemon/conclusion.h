// The end of a compile request: its last message, and what it is counted as.
//
// Every request is counted once, as what its client was told: the count is made where the last message is sent, and a
// request has one last message. So no request can be counted as a hit and passed through afterwards. A client that is
// gone before it was told anything (killed, the connection broken) makes an aborted request. Rejected: counting where
// an outcome is decided, as what follows (reading stored bytes, sending) may still fail.
//
// Whoever asks for the statistics after a client has ended finds its request counted: the request is pending
// (pending.h) from before the message until this object goes. One per request, used by its session's thread alone.
#ifndef HIPCACHE_DAEMON_CONCLUSION_H
#define HIPCACHE_DAEMON_CONCLUSION_H

#include <optional>
#include <vector>

#include "daemon/services.h"
#include "hipcache/command/invocation.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

class Conclusion {
 public:
  // Both outlive it.
  Conclusion(protocol::Channel& channel, const Services& services) : channel_(channel), services_(services) {}
  ~Conclusion();
  Conclusion(const Conclusion&) = delete;
  Conclusion& operator=(const Conclusion&) = delete;

  // The client has its compile, or the compiler's error. Returns whether it took that. A second call of either function
  // says and counts nothing.
  bool finish(stats::Outcome outcome, const protocol::Finish& message, const std::vector<int>& descriptors = {});

  // The client is to run the compiler itself.
  void pass_through(const command::Uncacheable& why);

 private:
  bool say(stats::Outcome outcome, const protocol::Message& message, const std::vector<int>& descriptors);

  protocol::Channel& channel_;
  const Services& services_;
  std::optional<Pending::Mark> pending_;
  bool counted_ = false;
};

}  // namespace hipcache::daemon

#endif
