#include "daemon/routes/split_codegen_choice.h"

#include "daemon/steps/split_codegen_run.h"
#include "daemon/request/temporary_paths.h"
#include "daemon/routes/proofs.h"
#include "daemon/steps/step_graph.h"

namespace hipcache::daemon {
namespace {

bool may_pay(const HalvesCost& cost) { return !cost.is_known() || cost.pays(); }

// A stored step needs no proof.
bool may_use_halves(const plan::Step& step, const Request& request, const Services& services, store::Lease& lease) {
  if (!step.halves || request.settings.readonly || request.settings.recache) return false;
  const StepWork work = work_for(step, {}, request, kStoredDirectory);
  if (!may_pay(known_cost(work.key, services))) return false;
  return !services.actions.look_up(work.key, work.suffices(), request.from, lease);
}

}  // namespace

void drop_halves(std::vector<plan::Step>& steps, protocol::Channel& channel, const Request& request,
                 const Services& services, store::Lease& lease) {
  std::vector<plan::Step*> users;
  std::vector<const plan::Step*> proofs;
  for (plan::Step& step : steps) {
    if (may_use_halves(step, request, services, lease)) {
      users.push_back(&step);
      proofs.push_back(step.halves->proof.get());
    } else {
      step.halves.reset();
    }
  }
  if (users.empty()) return;
  const std::vector<bool> proved = prove(proofs, kHalvesProofs, channel, request, services, lease);
  for (std::size_t index = 0; index < users.size(); ++index)
    if (!proved[index]) users[index]->halves.reset();
}

}  // namespace hipcache::daemon
