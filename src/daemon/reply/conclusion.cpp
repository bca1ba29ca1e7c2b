#include "daemon/reply/conclusion.h"

#include <utility>

#include "hipcache/base/reason.h"
#include "hipcache/trace/loads_library.h"

namespace hipcache::daemon {

Conclusion::~Conclusion() {
  if (!counted_) services_.counters.request(stats::Outcome::aborted);
}

bool Conclusion::finish(stats::Outcome outcome, const protocol::Finish& message, const std::vector<int>& descriptors) {
  return send_last({.outcome = outcome, .exit_code = message.exit_code}, message, descriptors);
}

void Conclusion::pass_through(const compiler::Uncacheable& why) {
  if (why.reason == Reason::build_helper) return leave_alone(why);
  if (send_last({.outcome = stats::Outcome::passthrough, .why = &why}, protocol::PassThrough{text_of(why.reason)}, {}))
    services_.counters.not_cached(text_of(why.reason), why.detail);
}

void Conclusion::run_wrapper(const std::string& wrapper) {
  if (!hipcache_loads_library(wrapper.c_str())) return pass_through({Reason::compiler_is_a_wrapper, wrapper});
  if (std::exchange(counted_, true)) return;
  pending_.emplace(services_.pending_writes.mark({}));
  reply_wrapper(channel_, wrapper, services_);
  services_.counters.wrapper();
}

// No request for a cache: neither counted nor in the event log.
void Conclusion::leave_alone(const compiler::Uncacheable& why) {
  if (std::exchange(counted_, true)) return;
  reply(channel_, protocol::PassThrough{text_of(why.reason)}, {}, services_);
  if (observer_ != nullptr) observer_->left_alone();
}

bool Conclusion::send_last(Replied reply_sent, const protocol::Message& message, const std::vector<int>& descriptors) {
  if (std::exchange(counted_, true)) return false;
  pending_.emplace(services_.pending_writes.mark({}));
  const bool taken = reply(channel_, message, descriptors, services_);
  if (!taken) reply_sent.outcome = stats::Outcome::aborted;
  services_.counters.request(reply_sent.outcome);
  if (observer_ != nullptr) observer_->replied(reply_sent);
  return taken;
}

}  // namespace hipcache::daemon
