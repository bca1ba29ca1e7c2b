#include "daemon/request/request_context.h"

#include "daemon/request/keys.h"

namespace hipcache::daemon {

std::optional<cache::Hit> RequestContext::look_up(const cache::ActionKey& action,
                                                  const cache::Suffices& suffices) const {
  return services.actions.look_up(action, suffices, request.from, lease);
}

PendingWrites::Mark RequestContext::mark_pending() const { return services.pending_writes.mark({key.value}); }

std::string RequestContext::of_object(const std::string& what) const {
  const compiler::Invocation& invocation = request.invocation;
  const std::string& name = invocation.object.empty() ? invocation.source : invocation.object;
  return name.empty() ? what : name + ": " + what;
}

RequestContext context_of(protocol::Channel& channel, const Request& request, const Services& services,
                          store::Lease& lease, RequestObserver* observer, Audit* audit) {
  return {.channel = channel,
          .request = request,
          .services = services,
          .lease = lease,
          .observer = observer,
          .audit = audit,
          .key = request_key(request, tokens_of_source(request, services.file_system)),
          .history = output_key(request)};
}

}  // namespace hipcache::daemon
