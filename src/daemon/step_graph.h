// The steps of one compile and how they feed each other: in the driver's order, those that follow each other and need
// nothing of each other beside each other (the devices; with relocatable device code the host too).
//
// A step's key holds the digests of what earlier steps made, so a bundle or host step can only be looked up when those
// are known; they need not lie on disk for it. Files are brought into the directory only for a step that has to be run.
#ifndef HIPCACHE_DAEMON_STEP_GRAPH_H
#define HIPCACHE_DAEMON_STEP_GRAPH_H

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/explainer.h"
#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/step_runner.h"
#include "daemon/step_work.h"
#include "hipcache/plan/plan.h"

namespace hipcache::daemon {

// A file that an earlier step made, and the step.
struct GivenInput {
  const StepWork* step = nullptr;
  const plan::StepOutput* file = nullptr;
  const action::Output* output = nullptr;  // null: a stored result that lacks it, which cannot be brought back
};

class StepGraph {
 public:
  // All are kept by reference and outlive the graph. The explainer tells the log why steps run; null: nobody does.
  StepGraph(const std::vector<plan::Step>& steps, const Request& request, const RequestDirectory& directory,
            const Services& services, const Explainer* explainer);

  // Runs or finds every step, until one fails. An error means that the request cannot go on.
  Status run(StepRunner& runner);

  // Puts another step in the place of the one at `index`, as the last one, and runs or finds it. It is given what the
  // others made. REQUIRES: all steps succeeded, and none reads what the one at `index` made; the step outlives the
  // graph.
  Status run_instead(std::size_t index, const plan::Step& step, StepRunner& runner);

  // In the driver's order; those after a failed one may be missing.
  const std::vector<std::unique_ptr<StepWork>>& steps() const { return steps_; }

  // The first in the driver's order, or null.
  const StepWork* failed() const;

  // Whether the user gets more than object and depfile.
  bool writes_beside() const;

  // The step that makes that file, if it is in the graph by now.
  std::optional<GivenInput> maker_of(const std::string& name) const;

  // The step of the plan that became steps()[index].
  const plan::Step& plan_of(std::size_t index) const { return *planned_[index]; }

  // Those that others have taken the place of: they have ended, and what they made counts for nothing.
  const std::vector<std::unique_ptr<StepWork>>& replaced() const { return replaced_; }

 private:
  std::vector<StepWork*> add_next();
  StepWork* add(const plan::Step& step);
  Status bring(const plan::Step& step, const std::vector<GivenInput>& inputs);
  std::vector<GivenInput> makers_of(const plan::Step& step) const;

  const std::vector<plan::Step>& plan_;
  const Request& request_;
  const RequestDirectory& directory_;
  const Services& services_;
  const Explainer* explainer_;
  std::vector<std::unique_ptr<StepWork>> steps_;
  std::vector<const plan::Step*> planned_;  // of each
  std::vector<std::unique_ptr<StepWork>> replaced_;
  std::map<std::string, const StepWork*> makers_;  // by the name of what they make
  std::set<std::string> brought_;                  // from the store into the directory
};

// The step with its key, ready to be looked up or run. `inputs`: digests of what earlier steps made, in the step's
// order. REQUIRES: the step outlives what is returned.
StepWork work_for(const plan::Step& step, const std::vector<Digest>& inputs, const Request& request,
                  const std::string& directory);

// Puts the file into the directory, for a step that reads it.
Status write_step_file(const plan::StepFile& file, const RequestDirectory& directory);

}  // namespace hipcache::daemon

#endif
