#include "daemon/serve/compile_service.h"

#include "daemon/request/request_context.h"
#include "daemon/request/step_kinds.h"
#include "daemon/request/wrappers.h"
#include "daemon/run/link_worth.h"
#include "daemon/run/opaque_run.h"
#include "daemon/run/step_scheduler.h"
#include "daemon/serve/reply.h"
#include "daemon/serve/request_result.h"
#include "daemon/tell/explainer.h"
#include "hipcache/base/reason.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

// Whether the compiler has to run again by itself: the failure may be the cache's fault, or the compiler crashed and
// names report files in a directory that is about to be removed.
bool is_doubtful(const StepState& step) {
  return !step.succeeded() &&
         (!step.result.doubt.empty() || step.result.refusal.reason == Reason::prints_temporary_names);
}

// Stores the result, and the miss history for explaining a later miss.
void record(StepState& step, OpaqueRun& run, const RequestContext& context) {
  run.store();
  if (context.observer != nullptr) context.observer->has_result(step.result, false);
  if (!step.recordable() || context.request.settings.readonly) return;
  const inputs::Witnessed& witnessed = step.result.witnessed;
  cache::Examined alone{.all = witnessed, .answered = witnessed.answered, .agrees = true};
  if (Result<cache::Observed> observed = context.services.actions.store_union(std::move(alone)))
    record_history(*observed, {&step}, context);
}

// Keeps why the run could not be stored, for explaining the next one.
void record_refusal(const StepState& step, const RequestContext& context) {
  if (step.succeeded() && !step.recordable() && !context.request.settings.readonly)
    record_history(cache::Observed{}, {&step}, context);
}

void reply_and_record(Conclusion& conclusion, StepState& step, OpaqueRun& run, const RequestContext& context) {
  const PendingWrites::Mark pending = context.mark_pending();
  reply_opaque(conclusion, step, context);
  if (step.is_stored_later)
    record(step, run, context);
  else
    record_refusal(step, context);
}

}  // namespace

std::optional<Uncacheable> serve_opaque(Conclusion& conclusion, std::optional<std::uint64_t> missed,
                                        const RequestContext& context) {
  if (auto why = not_worth_running(context)) return why;
  if (auto why = noted_to_run_alone(context)) return why;
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return Uncacheable{Reason::no_temporary_directory, directory.error().message};
  const StepContext in_directory{context, *directory};
  StepState step(opaque_spec(context));
  OpaqueRun run(step, in_directory);
  step.run = &run;
  step.missed = missed;
  context.services.pending_writes.wait_for(context.key.value);
  if (Status ran = StepScheduler(in_directory).run(step); !ran)
    return Uncacheable{Reason::step_failed, ran.error().message};
  if (step.hit) {
    const Status replied = reply_hit(conclusion, step.result, context);
    return replied ? std::nullopt : std::optional(Uncacheable{Reason::store_error, replied.error().message});
  }
  if (is_doubtful(step)) return failure_of(step);
  if (const auto& why = step.result.unusable) {
    Uncacheable alone{why->reason, why->detail};
    if (loses_files(alone, step)) note_runs_alone(context, alone);
    return alone;
  }
  if (step.result.refusal.reason == Reason::compiler_is_a_wrapper &&
      is_run_of_wrapper(context.request, step.result.ran))
    context.services.wrappers.note(context.request);
  count_opaque(context.request.invocation, false, context.services.counters);
  if (step.succeeded()) context.services.counters.rated({.run = 1});
  reply_and_record(conclusion, step, run, context);
  return std::nullopt;
}

}  // namespace hipcache::daemon
