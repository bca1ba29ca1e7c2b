// The final message of a compile request, and the outcome that the statistics count.
//
// Every request is counted once, with the outcome that its client was told. The count is made where the final message
// is sent, and a request has one such message. So a request cannot count as a hit and then be passed through. If the
// client is gone before the final message (killed, connection broken), the request counts as aborted. Rejected:
// counting where an outcome is decided, because reading stored bytes and sending may still fail.
//
// Statistics asked for after a client has ended include its request: the request is pending (job_slots.h) from
// before the final message until this object is destroyed. One per request, used by its session's thread only.
#ifndef HIPCACHE_SRC_DAEMON_REPLY_CONCLUSION_H
#define HIPCACHE_SRC_DAEMON_REPLY_CONCLUSION_H

#include <chrono>
#include <optional>
#include <vector>

#include "daemon/request/request_observer.h"
#include "daemon/request/services.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/trace/loads_library.h"

namespace hipcache::daemon {

// Sends the last message of a conversation. If the client does not take the message, it is gone, and nothing more can
// be done.

// Whether the client took it.
inline bool reply(protocol::Channel& channel, const protocol::Message& message, const std::vector<int>& descriptors,
                  const Services& services) {
  constexpr std::chrono::seconds kLimit{30};
  const Status sent = channel.send(message, descriptors, kLimit);
  if (!sent) services.log.info("reply not taken: " + sent.error().message);
  return sent.ok();
}

// Tells the client to run the wrapper (daemon/request/wrappers.h).
inline bool reply_wrapper(protocol::Channel& channel, const std::string& wrapper, const Services& services) {
  const bool loads = hipcache_loads_library(wrapper.c_str());
  return reply(channel,
               protocol::PassThrough{text_of(Reason::compiler_is_a_wrapper), loads ? services.trace_library : ""}, {},
               services);
}

class Conclusion {
 public:
  // Both arguments outlive this object.
  Conclusion(protocol::Channel& channel, const Services& services) : channel_(channel), services_(services) {}
  ~Conclusion();
  Conclusion(const Conclusion&) = delete;
  Conclusion& operator=(const Conclusion&) = delete;

  // Who is told of the answer, right after it was sent; outlives the calls below.
  void set_observer(RequestObserver* observer) { observer_ = observer; }

  // Sends the outcome of the compile; true if the client received it. After the first call of finish() or
  // pass_through(), further calls send and count nothing.
  bool finish(stats::Outcome outcome, const protocol::Finish& message, const std::vector<int>& descriptors = {});

  // Tells the client to run the compiler itself.
  void pass_through(const compiler::Uncacheable& why);

  // Tells the client to run the wrapper. The compilers that it starts are requests; this one is none, unless the
  // wrapper would not load the library that puts hipcache before them.
  void run_wrapper(const std::string& wrapper);

 private:
  void leave_alone(const compiler::Uncacheable& why);
  bool send_last(Replied reply_sent, const protocol::Message& message, const std::vector<int>& descriptors);

  protocol::Channel& channel_;
  const Services& services_;
  RequestObserver* observer_ = nullptr;
  std::optional<PendingWrites::Mark> pending_;
  bool counted_ = false;
};

}  // namespace hipcache::daemon

#endif
