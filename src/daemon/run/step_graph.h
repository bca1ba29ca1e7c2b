// The steps of one compile and their dependencies. Steps keep the driver's order, but those that need nothing of each
// other run in parallel: the devices, with relocatable device code also the host, and those of several sources.
//
// A step's key contains the digests of the outputs that it reads from earlier steps. So a bundle or host step can be
// looked up only when those digests are known. The files are needed on disk only if the step has to run, and are
// brought there then.
#ifndef HIPCACHE_SRC_DAEMON_RUN_STEP_GRAPH_H
#define HIPCACHE_SRC_DAEMON_RUN_STEP_GRAPH_H

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/run/step_scheduler.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

class StepGraph {
 public:
  // Both arguments outlive the graph.
  StepGraph(const std::vector<hip::Step>& steps, const StepContext& context) : plan_(steps), context_(context) {}

  // Puts the fatbin into each output that has a placeholder; an error means that the request cannot continue.
  using Fill = std::function<Status()>;

  // Runs or finds every step, until one fails. `fill` is called before a step that reads such an output. An error means
  // that the request cannot continue.
  Status run(StepScheduler& scheduler, const Fill& fill = [] { return done(); });

  // Replaces the step at `index` by another one, and runs or finds it. Its inputs are what the others made. REQUIRES:
  // all steps succeeded, and none reads an output of the one at `index`; the step outlives the graph.
  Status run_instead(std::size_t index, const hip::Step& step, StepScheduler& scheduler);

  // In the plan's order; steps after a failed one may be missing.
  const std::vector<std::unique_ptr<StepState>>& steps() const { return steps_; }

  // The first in the plan's order, or null.
  const StepState* failed() const;

  // Whether the user gets more files than object and depfile.
  bool writes_beside() const;

  // Whether one of several sources is not HIP.
  bool has_other_language() const;

  // The step that makes that file, if it is in the graph already.
  std::optional<GivenInput> maker_of(const std::string& name) const;

  // Steps that run_instead() replaced. They have ended, and their outputs are not used.
  const std::vector<std::unique_ptr<StepState>>& replaced() const { return replaced_; }

 private:
  bool reads_placeholder(const hip::Step& step) const;
  std::vector<std::size_t> ready() const;
  StepState* add(std::size_t place);
  std::unique_ptr<StepState> make(const hip::Step& step);
  std::vector<GivenInput> makers_of(const hip::Step& step) const;

  const std::vector<hip::Step>& plan_;
  const StepContext& context_;
  std::vector<std::unique_ptr<StepState>> steps_;
  std::vector<std::size_t> places_;  // of the steps in the plan
  std::vector<std::unique_ptr<StepState>> replaced_;
  std::map<std::string, const StepState*> makers_;  // by the name of the file that they make
};

}  // namespace hipcache::daemon

#endif
