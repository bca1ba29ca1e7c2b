// How a step runs: the one interface between the scheduler, which knows jobs and clients, and the ways to run a step.
//
// The problem: a step of a plan is one command with outputs in the request's directory. A split device step is up to
// three runs of the compiler. An opaque compile writes where the user wants it, and is stored after the answer. A probe
// prints a plan, and may go through a wrapper. The choice: a class for each way, and the scheduler knows none of them.
// Rejected: flags in the step's specification that the scheduler, the report and the recorder ask for, because each new
// way to run a step then changes all three.
//
// A new way is one file with such a class. If steps of a plan run so, it is also one line in run_of() of the scheduler.
//
// Used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_RUN_STEP_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_STEP_RUN_H

#include "daemon/request/request_context.h"
#include "daemon/step/step.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

class StepRun {
 public:
  virtual ~StepRun() = default;

  // Called once, when it is certain that the step runs: puts what it reads into the directory. An error ends the
  // request.
  virtual Status prepare() = 0;

  // What the client is to run next; null if the step has ended.
  virtual const StepState* next() const = 0;

  // Changes the message that asks the client to run next(). For a run that stands in front of another one.
  virtual void adapt(protocol::RunStep& /*message*/) {}

  // Takes in the client's run of next(): status, messages, outputs, trace. Records the step's result if it may be
  // recorded. An error means that the run is unusable (it could not start, or its outputs are missing).
  virtual Status take_in(const protocol::StepDone& report) = 0;
};

// A run that is one command of the client's.
class SingleRun : public StepRun {
 public:
  explicit SingleRun(StepState& state) : state_(state), next_(&state) {}
  const StepState* next() const override { return next_; }
  Status take_in(const protocol::StepDone& report) override {
    next_ = nullptr;
    return take(report);
  }

 protected:
  virtual Status take(const protocol::StepDone& report) = 0;

  StepState& state_;

 private:
  const StepState* next_;
};

}  // namespace hipcache::daemon

#endif
