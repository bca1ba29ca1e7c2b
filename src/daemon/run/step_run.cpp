#include "daemon/run/step_run.h"

#include "daemon/run/plain_run.h"
#include "daemon/run/split_codegen_run.h"

namespace hipcache::daemon {

std::unique_ptr<StepRun> run_of(StepState& state, const StepContext& context) {
  if (state.spec().split_codegen != nullptr) return std::make_unique<SplitCodegenRun>(state, context);
  return std::make_unique<PlainRun>(state, context);
}

}  // namespace hipcache::daemon
