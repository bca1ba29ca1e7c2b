#include "daemon/routes/opaque.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "daemon/explain/explainer.h"
#include "daemon/explain/request_history.h"
#include "daemon/opaque/link_worth.h"
#include "daemon/reply/reply_builder.h"
#include "daemon/request/keys.h"
#include "daemon/request/reason.h"
#include "daemon/request/step_kinds.h"
#include "daemon/steps/step_scheduler.h"
#include "hipcache/compiler/reason.h"
#include "hipcache/trace/seen.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

using compiler::Uncacheable;

// clang and gcc both know the option. Everything after "--" is a file.
std::vector<std::string> arguments_of(const Request& request) {
  std::vector<std::string> arguments = request.invocation.argv;
  if (request.colour) {
    const auto place = std::find(arguments.begin(), arguments.end(), "--");
    arguments.insert(place, "-fdiagnostics-color=always");
  }
  return arguments;
}

// The tick is 4 ms on most machines.
void wait_for_next_tick() {
  constexpr auto kLongestTick = 50ms;
  const inputs::Clock clock = inputs::file_clock();
  const std::uint64_t now = clock();
  const auto until = std::chrono::steady_clock::now() + kLongestTick;
  while (clock() == now && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(500us);
}

// If an earlier command wrote the archive just now, it may change without a new timestamp until the clock ticks. Then
// it must still have the content that the key says.
Status look_at_updated(StepState& work, const Updated& updated, inputs::FileSystemState& file_system) {
  if (updated.content) wait_for_next_tick();
  struct stat status{};
  const bool there = !updated.path.empty() && stat(updated.path.c_str(), &status) == 0;
  if (there != updated.content.has_value()) return Error{updated.path + " was made or removed meanwhile"};
  if (!there) return done();
  work.updated_as = trace::seen_file(status);
  const Result<Digest> content = file_system.content(updated.path);
  if (!content || *content != *updated.content) return Error{updated.path + " was written meanwhile"};
  return done();
}

// Called when it is certain that the command runs.
Status prepare(StepState& work, const Request& request, const Services& services) {
  if (const std::optional<Explainer> explainer = explainer_for_log(request, services))
    explainer->log_why(history_step(work, nullptr, request.from), {});
  return look_at_updated(work, request.updated, services.file_system);
}

// Whether the compiler has to run again by itself: the failure may be the cache's fault, or the compiler crashed and
// names report files in a directory that is about to be removed.
bool is_doubtful(const StepState& work) {
  return !work.succeeded() && (!work.doubt.empty() || work.refusal == reason::kPrintsTemporaryNames);
}

// Stores the result, and the miss history for explaining a later miss.
void store(StepState& work, const Request& request, const Services& services) {
  work.store();
  if (!work.recordable() || request.settings.readonly) return;
  cache::Examined alone{.all = work.witnessed, .answered = work.witnessed.answered, .agrees = true};
  if (Result<cache::Observed> observed = services.actions.store_union(std::move(alone)))
    record_history(*observed, {history_step(work, nullptr, request.from)}, request, services);
}

protocol::Finish finish_of(const StepState& work) {
  return {.exit_code = work.exit_code, .stdout_text = work.result.stdout_text, .stderr_text = work.result.stderr_text};
}

void answer_and_store(Conclusion& conclusion, StepState& work, const Request& request, const Services& services) {
  std::optional<PendingWrites::Mark> pending_writes;
  if (work.store) pending_writes.emplace(services.pending_writes.mark({work.key.value, output_key(request)}));
  const bool taken = conclusion.finish(stats::Outcome::miss, finish_of(work));
  if (taken && !work.succeeded()) services.counters.failed_compile();
  if (work.store) store(work, request, services);
}

}  // namespace

std::optional<Request> opaque_instead(const Request& request, const Uncacheable& why) {
  if (why.reason != reason::kPlanNotUnderstood && why.reason != reason::kWrapper) return std::nullopt;
  return opaque_request(request);
}

StepState opaque_step(const Request& request) {
  StepState work;
  work.label = label_of(request.invocation.making);
  work.key = request_key(request);
  work.commands = {{request.compiler, arguments_of(request)}};
  work.is_opaque = true;
  return work;
}

std::optional<Uncacheable> serve_opaque(protocol::Channel& channel, Conclusion& conclusion, const Request& request,
                                        std::optional<std::uint64_t> missed, const Services& services,
                                        store::Lease& lease) {
  StepState work = opaque_step(request);
  if (auto why = not_worth_running(request, work.key, services)) return why;
  const Result<RequestDirectory> directory =
      RequestDirectory::make(services.temporary_root, users_temporary_directory(request));
  if (!directory) return Uncacheable{reason::kNoTemporaryDirectory, directory.error().message};
  work.missed = missed;
  work.prepare = [&work, &request, &services] { return prepare(work, request, services); };
  services.pending_writes.wait_for(work.key.value);
  if (Status ran = StepScheduler(channel, request, services, *directory, lease).run({&work}); !ran)
    return Uncacheable{reason::kStepFailed, ran.error().message};
  if (work.hit) {
    const Status answered = answer_hit(conclusion, request, work.result, services);
    return answered ? std::nullopt : std::optional(Uncacheable{reason::kStoreError, answered.error().message});
  }
  if (is_doubtful(work))
    return Uncacheable{reason::kStepFailed, work.doubt.empty() ? work.label : work.label + ": " + work.doubt};
  if (!work.descriptor.empty()) return Uncacheable{compiler::reason::kStandardInput, work.descriptor};
  count_opaque(request.invocation.making, false, services.counters);
  answer_and_store(conclusion, work, request, services);
  return std::nullopt;
}

}  // namespace hipcache::daemon
