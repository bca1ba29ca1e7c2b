// Schedules the steps of one request. It looks each step up, and leaves a step to another client that is running it.
// This client runs the rest, as many at once as there are job slots. If the other client is stopped or overdue
// (single_flight.h), the step runs here as well. Steps that find no job slot may go to an engine
// (remote_steps.h): the longest ones, of these the last, while this client begins with the first. If a worker may run
// the next part of a step, the step gives its slot back between its parts, and is open again. One per request
// directory, used by its session's thread only.
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

#include "daemon/execute/remote_steps.h"
#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/shared/running_steps.h"
#include "daemon/shared/single_flight.h"
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
    OpenStep step;
    RunningSteps::Entry in_list;
    bool is_stopping = false;  // its result has come from the engine
  };
  using RunningEntry = std::map<std::uint32_t, Running>::iterator;
  enum class Start { done, started, blocked };

  void prefetch(const std::vector<StepState*>& steps) const;
  void drop_pointless(const std::vector<StepState*>& steps);
  Start try_start(OpenStep& step);
  void start_what_can_be();
  std::optional<SingleFlight::Claim> claim(StepState& state);
  bool runs_again(const StepSpec& spec, const cache::Hit& stored) const;
  bool found(StepState& state);
  void make_run(OpenStep& step) const;
  Status start(OpenStep step);
  void tell_runs(const StepState& state) const;
  Status wait();
  Status keep_client_waiting();
  Status send(const OpenStep& step, std::uint32_t number);
  Status take_report();
  Status go_on(RunningEntry entry);
  Status run_next(RunningEntry entry);
  void finish(RunningEntry entry, bool is_usable);
  void send_away();
  std::list<OpenStep>::iterator longest_to_send(const std::set<const StepState*>& left_out);
  void send_scan(const StepState& scan);
  void race();
  void take_answers();
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
  std::list<OpenStep> open_;
  std::map<std::uint32_t, Running> running_;
  std::uint32_t next_number_ = 0;
  bool wants_token_ = false;                         // a step was refused a job slot in the last pass
  std::chrono::steady_clock::time_point last_word_;  // time of the last message to the client
  std::optional<Error> trouble_;
};

}  // namespace hipcache::daemon

#endif
