#include "daemon/routes/split_codegen_choice.h"

#include "daemon/request/keys.h"
#include "daemon/routes/proofs.h"
#include "daemon/steps/step_spec.h"
#include "daemon/worth/split_codegen_ledger.h"

namespace hipcache::daemon {
namespace {

enum class Way {
  unavailable,  // the step is stored, or the cache is read-only or renewed
  as_one,
  split
};

// A step without known cost is looked up first, because only first compiles that run are counted. For others, the
// answer may spare the lookup.
Way way_of(const hip::Step& step, const RequestContext& context) {
  SplitCodegenLedger& ledger = context.services.split_codegen_ledger;
  const StepSpec spec = spec_to_look_up(step, context.request);
  const SplitCodegenCost cost = ledger.cost(spec.key);
  const auto is_stored = [&] { return context.look_up(spec.key, spec.suffices()).has_value(); };
  const auto splits = [&] { return ledger.splits_next_run(cost, cost_group_key(context.request)); };
  if (!cost.is_known() && is_stored()) return Way::unavailable;
  if (!splits()) {
    context.services.log.info(context.of_object(spec.label) + " is not split: that is not expected to pay");
    return Way::as_one;
  }
  return cost.is_known() && is_stored() ? Way::unavailable : Way::split;
}

// The steps that are to be split.
std::vector<hip::Step*> choose(std::vector<hip::Step>& steps, const RequestContext& context) {
  const config::Settings& settings = context.request.settings;
  std::vector<hip::Step*> chosen;
  for (hip::Step& step : steps) {
    if (!step.split_codegen) continue;
    const bool is_offered = !settings.readonly && !settings.recache;
    const Way way = is_offered ? way_of(step, context) : Way::unavailable;
    if (way == Way::unavailable) step.split_codegen.reset();
    if (way == Way::as_one) step.split_codegen->runs_as_one = true;
    if (way == Way::split) chosen.push_back(&step);
  }
  return chosen;
}

}  // namespace

void choose_codegen_splits(std::vector<hip::Step>& steps, const RequestContext& context) {
  const std::vector<hip::Step*> chosen = choose(steps, context);
  if (chosen.empty()) return;
  std::vector<const hip::Step*> proofs;
  for (const hip::Step* step : chosen) proofs.push_back(step->split_codegen->proof.get());
  const std::vector<bool> proved = prove(proofs, kSplitCodegenProofs, context);
  for (std::size_t index = 0; index < chosen.size(); ++index)
    if (!proved[index]) chosen[index]->split_codegen.reset();
}

}  // namespace hipcache::daemon
