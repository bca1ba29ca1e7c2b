#include "daemon/serve/reply.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "daemon/request/step_kinds.h"
#include "daemon/serve/request_result.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/step_name.h"
#include "hipcache/compiler/hip/depfile.h"
#include "hipcache/trace/loads_library.h"

namespace hipcache::daemon {

namespace {

using compiler::Uncacheable;

// The final reply while it is built: the message, and the files to send with it.
struct Reply {
  protocol::Finish finish;
  std::vector<UniqueFd> files;
  std::size_t carried = 0;  // bytes of file contents in the message
};

Result<std::string> from_store(const cache::Output& output, const Request& request, store::Store& store) {
  Result<std::optional<std::string>> bytes = store.blob(output.blob);
  if (!bytes) return bytes.error();
  if (!*bytes) return Error{"blob " + output.blob.hex() + " is gone"};
  const std::optional<hip::DepfileForm> form = hip::portable_form(output.name);
  if (!form) return std::move(**bytes);
  const auto& names = request.invocation.opaque.output_names;
  std::optional<std::string> local = hip::local_depfile(**bytes, request.from.roots, *form, names ? names->target : "");
  if (!local) return Error{"blob " + output.blob.hex() + " is no portable depfile"};
  return std::move(*local);
}

// Small files travel inside the message, which saves both sides five system calls.
bool is_carried(std::size_t size, const Reply& reply) { return size <= protocol::kContentLimit - reply.carried; }

Status add_bytes(protocol::PlacedOutput output, std::string_view bytes, Reply& reply) {
  if (is_carried(bytes.size(), reply)) {
    reply.carried += bytes.size();
    output.content = bytes;
  } else {
    Result<UniqueFd> memory = sealed_memory(bytes, "hipcache-output");
    if (!memory) return memory.error();
    reply.files.push_back(std::move(*memory));
  }
  reply.finish.outputs.push_back(std::move(output));
  return done();
}

Status add_stored(protocol::PlacedOutput placed, const cache::Output& output, const RequestContext& context,
                  Reply& reply) {
  store::LocalStore& store = context.services.store;
  if (hip::portable_form(output.name) || is_carried(output.size, reply)) {
    const Result<std::string> bytes = from_store(output, context.request, store);
    return bytes ? add_bytes(std::move(placed), *bytes, reply) : Status(bytes.error());
  }
  Result<std::optional<UniqueFd>> file = store.blob_file(output.blob);
  if (!file) return file.error();
  if (!*file) return Error{"blob " + output.blob.hex() + " is gone"};
  reply.files.push_back(std::move(**file));
  reply.finish.outputs.push_back(std::move(placed));
  return done();
}

Status add_file(protocol::PlacedOutput output, const std::string& path, Reply& reply) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("cannot open", path);
  reply.files.push_back(std::move(fd));
  reply.finish.outputs.push_back(std::move(output));
  return done();
}

Status add_made(protocol::PlacedOutput output, const StepState& step, const hip::StepOutput& file,
                const cache::Output& made, const StepContext& context, Reply& reply) {
  const auto& filled = step.result.filled;
  if (filled && !file.fatbin.empty()) return add_bytes(std::move(output), filled->bytes, reply);
  if (!step.hit) return add_file(std::move(output), context.directory.file(file.name), reply);
  return add_stored(std::move(output), made, context, reply);
}

// Adds the user's files of a step that succeeded. Their bytes are in the request's directory, in the store, or in
// `filled`.
Status add_placed(const StepState& step, const StepGraph& graph, const StepContext& context, Reply& reply) {
  for (const hip::StepOutput& file : step.spec().outputs) {
    const cache::Output* made = step.given_to_user(file);
    if (file.place.empty() || (made == nullptr && file.may_be_missing) || is_replaced(file, step, graph)) continue;
    if (made == nullptr) return Error{"the stored " + step.spec().label + " has no " + file.role};
    protocol::PlacedOutput output{file.place, file.beside, made->executable};
    if (Status added = add_made(std::move(output), step, file, *made, context, reply); !added) return added;
  }
  return done();
}

// The driver removes the outputs of a failed job. The job's depfile stays unless a header was not found.
void add_left_by_failure(const StepSpec& failed, const StepContext& context, Reply& reply) {
  for (const hip::StepOutput& file : failed.outputs)
    if (!file.place.empty() && !file.beside) reply.finish.removed.push_back(file.place);
  const std::optional<std::string>& depfile = context.request.invocation.depfile;
  if (!depfile || failed.failed_depfile.empty()) return;
  if (!add_file({*depfile, true, false}, context.directory.file(failed.failed_depfile), reply))
    reply.finish.removed.push_back(*depfile);
}

// The messages of a compile.
protocol::Finish messages_of(const cache::ActionResult& whole, const Request& request, int exit_code = 0) {
  return {.exit_code = exit_code,
          .stdout_text = as_shown(whole.stdout_text, request),
          .stderr_text = as_shown(whole.stderr_text, request)};
}

bool send(Conclusion& conclusion, stats::Outcome outcome, const Reply& reply) {
  std::vector<int> descriptors;
  for (const UniqueFd& file : reply.files) descriptors.push_back(file.get());
  return conclusion.finish(outcome, reply.finish, descriptors);
}

// REQUIRES: a plan's step.
bool compiler_said_why(const StepState& failed) {
  const StepResult& result = failed.result;
  return result.exit_code == 1 && result.failed_command == 0 && traits_of(failed.spec().planned->kind).is_compiler &&
         !result.is_refused() && !result.stderr_text.empty() && result.doubt.empty();
}

}  // namespace

bool reply(protocol::Channel& channel, const protocol::Message& message, const std::vector<int>& descriptors,
           const Services& services) {
  constexpr std::chrono::seconds kLimit{30};
  const Status sent = channel.send(message, descriptors, kLimit);
  if (!sent) services.log.info("reply not taken: " + sent.error().message);
  return sent.ok();
}

bool reply_wrapper(protocol::Channel& channel, const std::string& wrapper, const Services& services) {
  const bool loads = hipcache_loads_library(wrapper.c_str());
  return reply(channel,
               protocol::PassThrough{text_of(Reason::compiler_is_a_wrapper), loads ? services.trace_library : ""}, {},
               services);
}

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

Status reply_hit(Conclusion& conclusion, const cache::ActionResult& whole, const RequestContext& context) {
  const compiler::Invocation& invocation = context.request.invocation;
  stats::Counters& counters = context.services.counters;
  Reply reply{.finish = messages_of(whole, context.request)};
  for (const cache::Output& output : whole.outputs) {
    protocol::PlacedOutput place{local_place(output.place, context.request), output.in_place, output.executable};
    place.in_place_if_empty = output.in_place_if_empty;
    if (Status added = add_stored(std::move(place), output, context, reply); !added) return added;
  }
  const bool is_opaque = invocation.route == compiler::Route::is_opaque;
  if (is_opaque) count_opaque(invocation, true, counters);
  stats::HitRun rated{.hit = is_opaque ? 1U : 0U};
  for (const std::string& name : whole.steps) {
    count_step(name, true, counters);
    if (is_rated_step(name)) ++rated.hit;
  }
  counters.rated(rated);
  counters.saved(whole.duration_us, whole.processor_time());
  if (context.observer != nullptr) context.observer->has_result(whole, true);
  send(conclusion, stats::Outcome::hit, reply);
  return done();
}

std::optional<Uncacheable> reply_success(Conclusion& conclusion, const StepGraph& graph,
                                         const cache::ActionResult& whole, stats::Outcome outcome,
                                         const StepContext& context) {
  Reply reply{.finish = messages_of(whole, context.request)};
  for (const auto& step : graph.steps())
    if (Status added = add_placed(*step, graph, context, reply); !added)
      return Uncacheable{Reason::store_error, added.error().message};
  reply.finish.wants_headers =
      std::any_of(graph.steps().begin(), graph.steps().end(), [](const auto& step) { return step->wants_preamble; });
  if (context.observer != nullptr) context.observer->has_result(whole, false);
  context.services.failures.forget(context.history);
  send(conclusion, outcome, reply);
  return std::nullopt;
}

std::optional<Uncacheable> reply_failure(Conclusion& conclusion, const StepGraph& graph,
                                         const std::string& driver_stderr, const StepContext& context) {
  const StepState& failed = *graph.failed();
  context.services.failures.add(context.history, said_by_failure(failed.result));
  // A failed job leaves each kind of side file in a different state, so the compiler has to run.
  if (graph.writes_beside()) return Uncacheable{Reason::step_failed, "with files beside the object"};
  // The driver prints a message of its own when a linker fails, and hipcc when the driver fails.
  const compiler::Invocation& invocation = context.request.invocation;
  const bool is_link = invocation.driver.links || failed.spec().planned->kind == hip::StepKind::link;
  // After a failure the driver compiles no more HIP, but the other sources.
  const bool goes_on = graph.has_other_language();
  if (is_link || goes_on || invocation.driver.by_script || !compiler_said_why(failed)) return failure_of(failed);

  Reply reply{.finish = {.exit_code = failed.result.exit_code, .stdout_text = "", .stderr_text = driver_stderr}};
  protocol::Finish& finish = reply.finish;
  for (const auto& step : graph.steps()) {
    finish.stdout_text += as_shown(step->result.stdout_text, context.request);
    finish.stderr_text += as_shown(step->result.stderr_text, context.request);
    if (step.get() == &failed) break;
    if (Status added = add_placed(*step, graph, context, reply); !added)
      return Uncacheable{Reason::store_error, added.error().message};
  }
  add_left_by_failure(failed.spec(), context, reply);
  if (send(conclusion, stats::Outcome::miss, reply)) context.services.counters.failed_compile();
  return std::nullopt;
}

void reply_opaque(Conclusion& conclusion, const StepState& ran, const RequestContext& context) {
  const StepResult& result = ran.result;
  Reply reply{.finish = messages_of(result, context.request, result.exit_code)};
  const std::string& advice = context.request.invocation.opaque.advice;
  if (!ran.succeeded() && !advice.empty()) reply.finish.stderr_text += "hipcache: " + advice + "\n";
  if (ran.succeeded())
    context.services.failures.forget(context.history);
  else
    context.services.failures.add(context.history, said_by_failure(result));
  if (send(conclusion, stats::Outcome::miss, reply) && !ran.succeeded()) context.services.counters.failed_compile();
}

Uncacheable failure_of(const StepState& failed) { return {Reason::step_failed, failed.failure()}; }

}  // namespace hipcache::daemon
