#include "daemon/routes/split_codegen_choice.h"

#include "daemon/routes/proofs.h"
#include "daemon/steps/split_codegen_run.h"
#include "daemon/steps/step_spec.h"

namespace hipcache::daemon {
namespace {

bool may_pay(const SplitCodegenCost& cost) { return !cost.is_known() || cost.pays(); }

// A stored step needs no proof.
bool may_be_split(const hip::Step& step, const RequestContext& context) {
  const config::Settings& settings = context.request.settings;
  if (!step.split_codegen || settings.readonly || settings.recache) return false;
  const StepSpec spec = spec_to_look_up(step, context.request);
  return may_pay(known_cost(spec.key, context.services)) && !context.look_up(spec.key, spec.suffices());
}

}  // namespace

void drop_unproved_splits(std::vector<hip::Step>& steps, const RequestContext& context) {
  std::vector<hip::Step*> users;
  std::vector<const hip::Step*> proofs;
  for (hip::Step& step : steps) {
    if (may_be_split(step, context)) {
      users.push_back(&step);
      proofs.push_back(step.split_codegen->proof.get());
    } else {
      step.split_codegen.reset();
    }
  }
  if (users.empty()) return;
  const std::vector<bool> proved = prove(proofs, kSplitCodegenProofs, context);
  for (std::size_t index = 0; index < users.size(); ++index)
    if (!proved[index]) users[index]->split_codegen.reset();
}

}  // namespace hipcache::daemon
