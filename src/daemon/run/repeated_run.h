// A step that runs twice: its result counts only if both runs make the same bytes. Finds compilers that make something
// else each time.
#ifndef HIPCACHE_SRC_DAEMON_RUN_REPEATED_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_REPEATED_RUN_H

#include <optional>
#include <utility>
#include <vector>

#include "daemon/audit/comparison.h"
#include "daemon/record/output_recorder.h"
#include "daemon/run/plain_run.h"

namespace hipcache::daemon {

class RepeatedRun : public StepRun {
 public:
  // Both arguments outlive this object.
  RepeatedRun(StepState& state, const StepContext& context) : state_(state), context_(context), next_(&state) {}

  Status prepare() override { return prepare_plainly(state_, context_); }
  const StepState* next() const override { return next_; }

  Status take_in(const protocol::StepDone& report) override {
    next_ = nullptr;
    if (Status taken = take_in_plainly(state_, report, context_); !taken) return taken;
    if (!state_.succeeded()) return done();
    if (!first_) {
      first_.emplace(std::exchange(state_.result, StepResult{}));
      state_.ended = false;
      next_ = &state_;
      return done();
    }
    const std::vector<DifferentPart> differences = differences_of(parts_of(*first_), parts_of(state_.result));
    if (differences.empty()) return done();
    return Error{state_.spec().label + " makes something else each time: " + to_text(differences.front(), "")};
  }

 private:
  StepState& state_;
  const StepContext& context_;
  const StepState* next_;
  std::optional<cache::ActionResult> first_;
};

}  // namespace hipcache::daemon

#endif
