#include "daemon/serve/compile_service.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "daemon/audit/audit.h"
#include "daemon/request/foreign_mounts.h"
#include "daemon/request/output_places.h"
#include "daemon/request/request.h"
#include "daemon/request/wrappers.h"
#include "daemon/serve/questions.h"
#include "daemon/serve/request_result.h"
#include "daemon/shared/client_process.h"
#include "daemon/tell/request_events.h"
#include "hipcache/base/reason.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

// Answers from the request's own stored result, without looking at its steps. False if there is none, or if it is to be
// made again for the audit.
bool serve_request_hit(Conclusion& conclusion, const RequestContext& context) {
  const std::optional<cache::Hit> hit = stored_result(context);
  if (!hit || context.audit->takes_request(*hit)) return false;
  std::vector<std::string> places;
  for (const cache::Output& output : hit->result.outputs) places.push_back(local_place(output.place, context.request));
  if (const std::optional<Uncacheable> unusual = unusual_places(places, context.request.from.working_directory)) {
    conclusion.pass_through(*unusual);
    return true;
  }
  const Status replied = reply_hit(conclusion, hit->result, context);
  if (!replied)
    context.services.log.warning(context.of_object("the stored request is of no use: " + replied.error().message));
  return replied.ok();
}

// A request that misses. `ended`: how many runs of it had ended before the lookup (SingleFlight); nothing if the lookup
// found a result.
std::optional<Uncacheable> serve_miss(Conclusion& conclusion, std::optional<std::uint64_t> ended,
                                      const RequestContext& context) {
  if (context.request.invocation.route == compiler::Route::is_opaque) return serve_opaque(conclusion, ended, context);
  std::optional<Uncacheable> why = serve_split(conclusion, context);
  if (why && why->reason == Reason::starts_a_compiler) {
    context.services.wrappers.note(context.request);
    conclusion.run_wrapper(context.request.compiler);
    return std::nullopt;
  }
  const std::optional<Request> opaque = why ? opaque_instead(context.request, *why) : std::nullopt;
  if (!opaque) return why;
  const Services& services = context.services;
  services.log.info(
      context.of_object("served as an opaque compile: " + std::string(text_of(why->reason)) + " " + why->detail));
  return serve_opaque(conclusion, std::nullopt,
                      context_of(context.channel, *opaque, services, context.lease, context.observer, context.audit));
}

void serve_compile_request(protocol::Channel& channel, const protocol::CompileRequest& message,
                           std::shared_ptr<ForeignMounts> foreign_mounts, const Services& services) {
  Conclusion conclusion(channel, services);
  RequestEvents events(message, services);  // after the conclusion: who waits for that finds the events
  conclusion.set_observer(&events);
  auto understood = understand(message, services);
  if (const auto* why = std::get_if<Uncacheable>(&understood)) return conclusion.pass_through(*why);
  auto& request = std::get<Request>(understood);
  request.foreign_mounts = std::move(foreign_mounts);
  if (services.wrappers.runs_each_time(request)) return conclusion.run_wrapper(request.compiler);
  const std::unique_ptr<store::Lease> lease = services.store.lease();
  events.understood(request);
  Audit audit(request, services);  // after the conclusion, so that statistics of a finished request have its audit
  const RequestContext context = context_of(channel, request, services, *lease, &events, &audit);
  services.pending_writes.wait_for(context.key.value);
  std::optional<std::uint64_t> ended = services.single_flight.ended(context.key.value);
  if (serve_request_hit(conclusion, context)) return;
  if (audit.request_hit() != nullptr) ended.reset();
  if (const std::optional<Uncacheable> why = serve_miss(conclusion, ended, context)) conclusion.pass_through(*why);
}

// Not counted: the client asks the daemon of its own view next, or says that there is none.
void refuse_view(protocol::Channel& channel, const protocol::CompileRequest& message, bool is_question,
                 const Services& services) {
  const Uncacheable why{Reason::other_file_system_view, ""};
  if (is_question) return report_not_cached(why, message.plan_only, channel, services);
  reply(channel, protocol::PassThrough{text_of(why.reason), ""}, {}, services);
}

}  // namespace

void serve_compile(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services) {
  std::shared_ptr<ForeignMounts> foreign_mounts;
  const bool is_foreign = message.mount_view != services.mount_view;
  if (is_foreign) foreign_mounts = ForeignMounts::like_own(peer_process(channel.fd()), message);
  const bool is_question = message.plan_only || message.explain;
  if (is_foreign && foreign_mounts == nullptr) return refuse_view(channel, message, is_question, services);
  if (is_question) return serve_question(channel, message, services);
  if (message.headers_only) return serve_headers(channel, message, services);
  serve_compile_request(channel, message, std::move(foreign_mounts), services);
}

}  // namespace hipcache::daemon
