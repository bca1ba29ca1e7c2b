// The steps of one request that are with the engine.
//
// A step is sent while this machine's job slots are taken, if it is expected to take long enough (`min_cost`), and if
// it is its turn among those of all requests (execute/engine.h). A split step (split_codegen_run.h) is sent in parts:
// both in one start at first, then the back end alone, whose front end has run here. What is sent is what the run says
// is next, and the worker's answer goes to the run as a report of the client's does. Rejected: one that always runs as
// a whole there, because the edits after it then lack its back end; the front end as an action of its own, because it
// takes less than its way there and back.
//
// It comes back in one of three ways. Its result is proved and taken; then it has ended as if it had run here. Or the
// result is of no use: the command failed, the engine did, or the proof did. Then the step runs here, and only what it
// prints here is shown. Or this machine runs it as well, because a slot is idle, and the first of the two results
// counts.
//
//   send() ── answer ── proved ── taken
//     │         └────── of no use ── runs here; not sent again
//     └── raced here ── proved first ── the run here is stopped, then taken
//                  └─── ended first ── forgotten
//
// The scheduler owns this object, and knows which steps run here. Used by its thread only. The context and the engine
// outlive it.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_REMOTE_STEPS_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_REMOTE_STEPS_H

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/execute/engine.h"
#include "daemon/execute/input_root.h"
#include "daemon/execute/local_trace.h"
#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/shared/running_steps.h"
#include "daemon/shared/single_flight.h"

namespace hipcache::daemon {

// A step that is to run, or the next part of one.
struct OpenStep {
  StepState* state;
  std::unique_ptr<StepRun> run = {};              // of a plan's step, once somebody asked how it runs
  bool is_begun = false;                          // a part has ended
  std::optional<SingleFlight::Claim> claim = {};  // of a step that has begun, runs or is sent
  StepClock clock = {};
  std::uint64_t memory = 0;  // that it is expected to take while it runs here

  // REQUIRES: there is one.
  StepRun& its_run() const { return run ? *run : *state->run; }
  // What is next of it, in the client or on a worker. REQUIRES: as above.
  const StepState& part() const { return *its_run().next(); }
};

class RemoteSteps {
 public:
  // A step whose answer is in. If it was not taken, it is to run here.
  struct Ended {
    OpenStep step;
    bool is_taken = false;
  };

  // Whether steps of this request may be sent at all (execute/action.h).
  static bool is_on(const RequestContext& context);

  // `wake_fd` is written to when an answer is in.
  RemoteSteps(const StepContext& context, int wake_fd);
  ~RemoteSteps();
  RemoteSteps(const RemoteSteps&) = delete;
  RemoteSteps& operator=(const RemoteSteps&) = delete;

  // Whether the step is to be sent if it is its turn. REQUIRES, as for the next ones: its run is made.
  bool wants(const OpenStep& step);

  // What it is expected to take: what it took before, else the other steps of the request, which are one source for
  // different processors, else the average of all, which bounds nothing. 0: nothing is known of any.
  std::uint64_t cost_of(const OpenStep& step);

  // The sources are not known, and are to be scanned first. The scan, once: it runs here, beside the job slots, because
  // it takes little. Null: it has run, or runs.
  const StepState* scan_for(const OpenStep& step);
  void take_scan(const protocol::StepDone& report);

  // Whether it is the turn of a step of that cost. If not, this request waits for it until withdraw().
  bool may_send(std::uint64_t cost_us) { return engine_.may_send(cost_us, wake_fd_); }
  void withdraw() { engine_.withdraw(wake_fd_); }

  // `number`: of the run, as the scheduler counts. False if it is not sent; the step is then as before. REQUIRES: the
  // step has its claim.
  bool send(OpenStep& step, std::uint32_t number, RunningSteps::Entry in_list);

  // Of the steps that do not run here as well: those whose answer is in.
  std::vector<Ended> take_answers();
  // Of those that do: those whose result is now proved, each once. Their runs here are to be stopped.
  std::vector<const StepState*> take_winners();

  // Whether there is a step that does not run here as well. The oldest one of these then counts as one that does.
  bool has_alone() const;
  OpenStep take_oldest_alone();

  bool has(const StepState& state) const;
  // The step that ran here as well has been stopped: takes its proved result. False if that is of no use after all.
  bool take_winner(const StepState& state);
  // The step ended here first.
  void note_lost(StepState& state);
  // Nobody needs these any more.
  void drop(const StepState& state);
  void drop_all() { sent_.clear(); }

  bool is_empty() const { return sent_.empty(); }

  // A step has ended here: what it read, and what it took.
  void note_end_here(const StepState& state);

 private:
  struct Sent {
    Sent(Engine& its_engine, std::uint64_t its_id, std::string outputs, OpenStep step, RunningSteps::Entry entry)
        : engine(its_engine),
          id(its_id),
          output_directory(std::move(outputs)),
          state(step.state),
          run(&step.its_run()),
          is_begun(step.is_begun),
          alone(std::move(step)),
          in_list(std::move(entry)) {}
    ~Sent();
    Sent(const Sent&) = delete;
    Sent& operator=(const Sent&) = delete;

    Engine& engine;
    const std::uint64_t id;
    const std::string output_directory;
    StepState* const state;
    StepRun* const run;
    const bool is_begun;
    std::uint32_t number = 0;
    std::set<std::string> variables;  // that the action brought
    std::optional<OpenStep> alone;    // unless it runs here as well
    RunningSteps::Entry in_list;
    StepClock clock;
    std::optional<protocol::RemoteExecuted> proved;
    std::uint64_t started_ns = 0;  // of the proof
    bool is_told = false;          // as a winner
  };

  using Entry = std::list<Sent>::iterator;
  enum class Answer { awaited, proved, useless };

  std::uint64_t expected_us(const OpenStep& step);
  void look_in_history();
  Answer judge(Sent& sent);
  std::optional<Unproved> prove(Sent& sent, const protocol::RemoteExecuted& answer) const;
  std::optional<Unproved> prove(const Sent& sent, const protocol::ExecuteOutput* traced, const std::string& name) const;
  std::optional<Unproved> take(Sent& sent);
  std::optional<Digest> draw_for_audit(const Sent& sent);
  void fail(const Sent& sent, bool is_proof, const std::string& reason, const std::string& detail);
  void note_in_vain(const Sent& sent, bool is_proof, const std::string& reason, const std::string& detail);
  Entry find(const StepState& state);

  const StepContext& context_;
  const Services& services_;
  Engine& engine_;
  const int wake_fd_;
  InputNames names_;
  bool looked_in_history_ = false;
  std::optional<StepState> scan_;
  bool is_scanning_ = false;
  std::uint64_t longest_here_us_ = 0;                   // of the device steps of this request that ended here
  std::map<const StepState*, std::uint64_t> known_us_;  // of steps that run as one, as stored
  std::set<const StepState*> not_again_;
  std::map<const StepState*, Digest> audited_;  // what a worker made of a step that then runs here
  std::list<Sent> sent_;                        // the oldest first
};

}  // namespace hipcache::daemon

#endif
