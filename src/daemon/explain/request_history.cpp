#include "daemon/explain/request_history.h"

#include "daemon/command/macros.h"
#include "daemon/explain/same_source.h"
#include "daemon/request/keys.h"

namespace hipcache::daemon {

cache::Asked asked_by(const Request& request) {
  std::vector<std::string> archs;
  for (const compiler::ArchId& arch : request.invocation.archs) archs.push_back(arch.name);
  const bool is_opaque = request.invocation.route == compiler::Route::is_opaque;
  return {.compiler = request.compiler,
          .arguments = portable(
              without_macros(is_opaque ? opaque_arguments(request.invocation) : request.invocation.without_archs,
                             request.from),
              request.from),
          .archs = std::move(archs),
          .working_directory = request.from.working_directory,
          .logical_directory = request.from.logical_directory(),
          .cuid = request.from.cuid};
}

void record_history(const cache::Observed& observed, const std::vector<const StepState*>& steps,
                    const RequestContext& context) {
  cache::HistoryEntry entry{.object = object_path(context.request),
                            .of_source = same_source_key(context).value_or(Digest{}),
                            .asked = asked_by(context.request),
                            .steps = {},
                            .observed = observed};
  if (observed.set != nullptr) inputs::shorten(entry.observed.answered, *observed.set);
  for (const StepState* step : steps) entry.steps.push_back(history_step(*step, context.request.from));
  const Status recorded = context.services.miss_history.record(context.history, entry);
  if (!recorded)
    context.services.log.warning(context.of_object("the miss history lacks this: " + recorded.error().message));
}

}  // namespace hipcache::daemon
