#include "daemon/request/request_context.h"

#include <algorithm>
#include <utility>

#include "daemon/request/keys.h"
#include "daemon/shared/preambles.h"

namespace hipcache::daemon {

namespace {

// The temporary directory that LLVM would choose.
std::string temporary_directory(const Request& request) {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* value = request.from.variable(name); value != nullptr && *value != '\0') return value;
  return "/tmp";
}

}  // namespace

std::string as_stored(std::string text, const RequestDirectory& directory) {
  return replace_all(std::move(text), directory.path(), kStoredDirectory);
}

std::string as_shown(std::string_view text, const Request& request) {
  return replace_all(request.from.roots.local_text(text), kStoredDirectory, temporary_directory(request));
}

Result<RequestDirectory> make_directory(const RequestContext& context) {
  const char* users = context.request.from.variable("TMPDIR");
  const std::string fallback = users != nullptr && users[0] == '/' ? users : "/tmp";
  return RequestDirectory::make(context.services.temporary_root, fallback);
}

std::optional<cache::Hit> RequestContext::look_up(const cache::ActionKey& action,
                                                  const cache::Suffices& suffices) const {
  const cache::Suffices is_of_use = [&](const cache::ActionResult& stored) {
    return suffices(stored) &&
           std::none_of(stored.preambles.begin(), stored.preambles.end(),
                        [&](const Digest& header) { return services.preambles.is_refuted(header); });
  };
  std::optional<cache::Hit> hit = services.actions.look_up(action, is_of_use, request.from, lease);
  if (hit && hit->is_by_tokens() && services.token_hits.are_off()) return std::nullopt;
  return hit;
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
