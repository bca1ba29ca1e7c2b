// Builds and sends the final reply of a compile: what is counted, what is printed, and which files are placed or
// removed, as the driver would have done.
#ifndef HIPCACHE_SRC_DAEMON_SERVE_REPLY_H
#define HIPCACHE_SRC_DAEMON_SERVE_REPLY_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/run/step_graph.h"
#include "daemon/shared/services.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// Sends the last message of a conversation; true if the client took it. If it did not, it is gone, and nothing more can
// be done.
bool reply(protocol::Channel& channel, const protocol::Message& message, const std::vector<int>& descriptors,
           const Services& services);

// Tells the client to run the wrapper (request/wrappers.h).
bool reply_wrapper(protocol::Channel& channel, const std::string& wrapper, const Services& services);

// The final message of a compile request, and the outcome that the statistics count.
//
// Every request is counted once, with the outcome that its client was told. The count is made where the final message
// is sent, and a request has one such message. So a request cannot count as a hit and then be passed through. If the
// client is gone before the final message (killed, connection broken), the request counts as aborted. Rejected:
// counting where an outcome is decided, because reading stored bytes and sending may still fail.
//
// Statistics asked for after a client has ended include its request: the request is pending (pending_writes.h) from
// before the final message until this object is destroyed. One per request, used by its session's thread only.
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

// Answers a request whose result is stored. On an error (a blob is gone or damaged) nothing was sent, and the steps
// must be looked up.
Status reply_hit(Conclusion& conclusion, const cache::ActionResult& whole, const RequestContext& context);

// Answers a request whose steps all succeeded, with `outcome` for the statistics. The outputs are in the request's
// directory or in the store.
std::optional<compiler::Uncacheable> reply_success(Conclusion& conclusion, const StepGraph& graph,
                                                   const cache::ActionResult& whole, stats::Outcome outcome,
                                                   const StepContext& context);

// Answers a request with a failed step. The compiler's own error messages are the answer. If the compiler crashed or a
// linker failed, the driver prints and writes more than the daemon knows, so the client must run it.
std::optional<compiler::Uncacheable> reply_failure(Conclusion& conclusion, const StepGraph& graph,
                                                   const std::string& driver_stderr, const StepContext& context);

// Answers with an opaque compile that ran just now, whether or not it succeeded. Its outputs are in place.
void reply_opaque(Conclusion& conclusion, const StepState& ran, const RequestContext& context);

// Why the compiler has to run by itself after that step failed.
compiler::Uncacheable failure_of(const StepState& failed);

}  // namespace hipcache::daemon

#endif
