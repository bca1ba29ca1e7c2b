#include "daemon/reply/conclusion.h"

#include <string>
#include <utility>

#include "daemon/reply/reply.h"

namespace hipcache::daemon {

Conclusion::~Conclusion() {
  if (!counted_) services_.counters.request(stats::Outcome::aborted);
}

bool Conclusion::finish(stats::Outcome outcome, const protocol::Finish& message, const std::vector<int>& descriptors) {
  return say(outcome, message, descriptors);
}

void Conclusion::pass_through(const compiler::Uncacheable& why) {
  const std::string reason = why.reason + (why.detail.empty() ? "" : ": " + why.detail);
  if (say(stats::Outcome::passthrough, protocol::PassThrough{why.reason}, {})) {
    services_.counters.not_cached(why.reason, why.detail);
    services_.log.info("passed through: " + reason);
  } else {
    services_.log.info("given up, the client is gone: " + reason);
  }
}

bool Conclusion::say(stats::Outcome outcome, const protocol::Message& message, const std::vector<int>& descriptors) {
  if (std::exchange(counted_, true)) return false;
  pending_.emplace(services_.pending_writes.mark({}));
  const bool taken = reply(channel_, message, descriptors, services_);
  services_.counters.request(taken ? outcome : stats::Outcome::aborted);
  return taken;
}

}  // namespace hipcache::daemon
