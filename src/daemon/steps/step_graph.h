// The steps of one compile and their dependencies. Steps keep the driver's order, but consecutive steps that do not
// depend on each other run in parallel: the devices, and with relocatable device code also the host.
//
// A step's key contains the digests of the outputs that it reads from earlier steps. So a bundle or host step can be
// looked up only when those digests are known. The files are needed on disk only if the step has to run, and are
// brought there then.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_STEP_GRAPH_H
#define HIPCACHE_SRC_DAEMON_STEPS_STEP_GRAPH_H

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/explain/explainer.h"
#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "daemon/steps/step_scheduler.h"
#include "daemon/steps/step_state.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// A file made by an earlier step, and that step.
struct GivenInput {
  const StepState* step = nullptr;
  const hip::StepOutput* file = nullptr;
  const cache::Output* output = nullptr;  // null if the stored result lacks it; then it cannot be brought back
};

class StepGraph {
 public:
  // All arguments outlive the graph. The explainer logs why steps run; it may be null.
  StepGraph(const std::vector<hip::Step>& steps, const Request& request, const RequestDirectory& directory,
            const Services& services, const Explainer* explainer);

  // Runs or finds every step, until one fails. An error means that the request cannot continue.
  Status run(StepScheduler& runner);

  // Replaces the step at `index` by another one, which becomes the last, and runs or finds it. Its inputs are what the
  // others made. REQUIRES: all steps succeeded, and none reads an output of the one at `index`; the step outlives the
  // graph.
  Status run_instead(std::size_t index, const hip::Step& step, StepScheduler& runner);

  // In the driver's order; steps after a failed one may be missing.
  const std::vector<std::unique_ptr<StepState>>& steps() const { return steps_; }

  // The first in the driver's order, or null.
  const StepState* failed() const;

  // Whether the user gets more files than object and depfile.
  bool writes_beside() const;

  // The step that makes that file, if it is in the graph already.
  std::optional<GivenInput> maker_of(const std::string& name) const;

  // The step of the plan that became steps()[index].
  const hip::Step& plan_of(std::size_t index) const { return *planned_[index]; }

  // Steps that run_instead() replaced. They have ended, and their outputs are not used.
  const std::vector<std::unique_ptr<StepState>>& replaced() const { return replaced_; }

 private:
  std::vector<StepState*> add_next();
  StepState* add(const hip::Step& step);
  Status bring(const hip::Step& step, const std::vector<GivenInput>& inputs);
  std::vector<GivenInput> makers_of(const hip::Step& step) const;

  const std::vector<hip::Step>& plan_;
  const Request& request_;
  const RequestDirectory& directory_;
  const Services& services_;
  const Explainer* explainer_;
  std::vector<std::unique_ptr<StepState>> steps_;
  std::vector<const hip::Step*> planned_;  // the plan's step of each
  std::vector<std::unique_ptr<StepState>> replaced_;
  std::map<std::string, const StepState*> makers_;  // by the name of the file that they make
  std::set<std::string> brought_;                   // names of files that were brought from the store
};

// The step with its key, ready for a lookup or a run. `inputs`: digests of what earlier steps made, in the step's
// order. REQUIRES: the step outlives the result.
StepState work_for(const hip::Step& step, const std::vector<Digest>& inputs, const Request& request,
                   const std::string& directory);

// Writes the file into the directory, for a step that reads it.
Status write_step_file(const hip::StepFile& file, const RequestDirectory& directory);

}  // namespace hipcache::daemon

#endif
