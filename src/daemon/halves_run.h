// A device step on its way through the client, in one process or with its halves apart (plan.h, Halves): front end,
// then the back end unless its result is stored, and what they make is the step's.
//
//   never run ──── both, by one start of the compiler ──┬── fails, prints, leaves no trace ── as one
//   it pays ────── front ── back, unless it is stored ──┤
//   it does not ── as one                               └── their code object, the front end's messages
//
// So the first compile of a unit leaves the back end's result, and its first edit already finds it. Whether the
// compiler makes the same by both ways was proved before (proofs.h). Of the back ends that run, one in some hundreds is
// audited: the step is run as one as well, that result counts, and where the other is not the same the proof is
// refuted. What the back end made of a bitcode is a result like any other: keyed by the bitcode's digest, good for all.
// The front end's is none: what it reads is the step's to look up, and its bitcode would double the store.
//
// Used by one thread.
#ifndef HIPCACHE_DAEMON_HALVES_RUN_H
#define HIPCACHE_DAEMON_HALVES_RUN_H

#include "daemon/halves_cost.h"
#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "daemon/step_work.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

class HalvesRun {
 public:
  // All are kept by reference and outlive it. REQUIRES: whole.halves.
  HalvesRun(StepWork& whole, const Request& request, const Services& services, const RequestDirectory& directory,
            store::Lease& lease);

  // What the client is to run now; null: the step has ended.
  const StepWork* next() const { return next_; }

  // Takes in the run of next(). An error means what it means of daemon::take_in.
  Status take_in(const protocol::StepDone& report);

 private:
  Status take_whole(const protocol::StepDone& report);
  Status take_both(const protocol::StepDone& report);
  Status take_front(const protocol::StepDone& report);
  Status take_back(const protocol::StepDone& report);
  Status take_bitcode(const protocol::StepDone& report);
  Status take_code(const protocol::StepDone& report);
  Status join_or_audit();
  Status join();
  void audit();
  void note_cost();

  StepWork& whole_;
  const Request& request_;
  const Services& services_;
  const RequestDirectory& directory_;
  store::Lease& lease_;

  HalvesCost noted_, cost_;  // as stored, and as known by now
  protocol::StepDone front_report_;
  StepWork both_, front_, back_;
  bool audits_ = false;  // the halves are through, and the step runs as one to be compared
  const StepWork* next_;
};

// What is known of the costs of a step of that key.
HalvesCost known_cost(const action::ActionKey& step, const Services& services);

}  // namespace hipcache::daemon

#endif
