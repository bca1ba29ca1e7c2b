// Schedules the steps of one request. It looks each step up, and leaves a step to another client that is running it.
// This client runs the rest, as many at once as there are job slots. If the other client is stopped or overdue
// (single_flight.h), the step runs here as well. Steps that find no job slot may go to an engine
// (remote_steps.h): the last ones, while this client begins with the first. One per request directory, used by
// its session's thread only.
#ifndef HIPCACHE_SRC_DAEMON_RUN_STEP_SCHEDULER_H
#define HIPCACHE_SRC_DAEMON_RUN_STEP_SCHEDULER_H

#include <sys/types.h>

#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/run/remote_steps.h"
#include "daemon/run/step_run.h"
#include "daemon/shared/job_slots.h"
#include "daemon/shared/single_flight.h"
#include "daemon/step/step.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {

class StepScheduler {
 public:
  // The context outlives the scheduler.
  explicit StepScheduler(const StepContext& context);
  ~StepScheduler();
  StepScheduler(const StepScheduler&) = delete;
  StepScheduler& operator=(const StepScheduler&) = delete;

  // Finishes every step, in any order. After a failure, no later step starts. An error means that the request cannot
  // continue (client gone, a run that is unusable). Unless the client is gone, none of the steps is running then.
  Status run(const std::vector<StepState*>& steps);
  Status run(StepState& step) { return run({&step}); }

 private:
  struct Running {
    StepState* state;
    SingleFlight::Claim claim;
    std::unique_ptr<StepRun> own;  // of a plan's step
    StepRun* run;
    StepClock clock;
    RunningSteps::Entry in_list;
    bool is_stopping = false;  // its result has come from the engine
  };
  using RunningEntry = std::map<std::uint32_t, Running>::iterator;
  enum class Start { done, started, blocked };

  void prefetch(const std::vector<StepState*>& steps) const;
  void drop_pointless(std::list<StepState*>& open, const std::vector<StepState*>& steps);
  Start try_start(StepState& state);
  void start_what_can_be(std::list<StepState*>& open);
  std::optional<SingleFlight::Claim> claim(StepState& state);
  bool runs_again(const StepSpec& spec) const;
  bool found(StepState& state);
  Status start(StepState& state, SingleFlight::Claim claim);
  void tell_runs(const StepState& state) const;
  Status wait();
  Status keep_client_waiting();
  Status send(const StepState& state, std::uint32_t number);
  Status take_report();
  Status go_on(RunningEntry entry);
  void finish(RunningEntry entry, bool is_usable);
  void send_away(std::list<StepState*>& open);
  void send_scan(const StepState& scan);
  void race();
  void take_answers(std::list<StepState*>& open);
  Status take_stopped(RunningEntry entry);
  bool is_idle() const { return running_.empty() && !scan_ && (!remote_ || remote_->is_empty()); }
  void note_audit(StepState& state) const;
  RunningSteps::Entry begin_in_list(const StepState& state, bool is_sent) const;
  void tell_ended(const StepState& state, const StepClock& clock, bool is_usable) const;
  void drain_wake_ups();

  const StepContext& context_;
  const Services& services_;
  const pid_t client_;
  UniqueFd wake_;
  std::optional<RemoteSteps> remote_;  // nothing if no step is sent
  std::optional<std::uint32_t> scan_;  // the number of remote_'s scan while it runs
  std::map<std::uint32_t, Running> running_;
  std::uint32_t next_number_ = 0;
  bool wants_token_ = false;                         // a step was refused a job slot in the last pass
  std::chrono::steady_clock::time_point last_word_;  // time of the last message to the client
  std::optional<Error> trouble_;
};

}  // namespace hipcache::daemon

#endif
