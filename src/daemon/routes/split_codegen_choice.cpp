#include "daemon/routes/split_codegen_choice.h"

#include "daemon/request/temporary_paths.h"
#include "daemon/routes/proofs.h"
#include "daemon/steps/split_codegen_run.h"
#include "daemon/steps/step_graph.h"

namespace hipcache::daemon {
namespace {

bool may_pay(const SplitCodegenCost& cost) { return !cost.is_known() || cost.pays(); }

// A stored step needs no proof.
bool may_use_halves(const hip::Step& step, const Request& request, const Services& services, store::Lease& lease) {
  if (!step.split_codegen || request.settings.readonly || request.settings.recache) return false;
  const StepState work = work_for(step, {}, request, kStoredDirectory);
  if (!may_pay(known_cost(work.key, services))) return false;
  return !services.actions.look_up(work.key, work.suffices(), request.from, lease);
}

}  // namespace

void drop_unproved_splits(std::vector<hip::Step>& steps, protocol::Channel& channel, const Request& request,
                          const Services& services, store::Lease& lease) {
  std::vector<hip::Step*> users;
  std::vector<const hip::Step*> proofs;
  for (hip::Step& step : steps) {
    if (may_use_halves(step, request, services, lease)) {
      users.push_back(&step);
      proofs.push_back(step.split_codegen->proof.get());
    } else {
      step.split_codegen.reset();
    }
  }
  if (users.empty()) return;
  const std::vector<bool> proved = prove(proofs, kSplitCodegenProofs, channel, request, services, lease);
  for (std::size_t index = 0; index < users.size(); ++index)
    if (!proved[index]) users[index]->split_codegen.reset();
}

}  // namespace hipcache::daemon
