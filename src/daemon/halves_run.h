// A device step on its way through the client, in one process or, where that pays, with its halves apart (plan.h,
// Halves): front end, then the back end unless its result is stored, and what they make is the step's.
//
//   front ── fails ───────────────────────────────────────────┐
//     └── back ── fails, prints, proves nothing ──────────────┤
//           ├── not yet proved for this compiler: ────────────┴── as one: its result counts
//           └── proved: its code object, the front end's messages
//
// A proof is a run of both on the same source, with the same bytes and messages. It is kept like a result, for the
// compiler (with all that it loads) and the options that make code; where they differ it is doubted, and the step runs
// as one. What the back end made of a bitcode is a result like any other: keyed by the bitcode's digest, good for all.
// The front end's is none: what it reads is the step's to look up, and its bitcode would double the store.
//
// Used by one thread.
#ifndef HIPCACHE_DAEMON_HALVES_RUN_H
#define HIPCACHE_DAEMON_HALVES_RUN_H

#include <optional>

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
  Status take_front(const protocol::StepDone& report);
  Status take_back(const protocol::StepDone& report);
  Status join();
  void prove();
  void note_cost();

  StepWork& whole_;
  const Request& request_;
  const Services& services_;
  const RequestDirectory& directory_;
  store::Lease& lease_;

  HalvesCost noted_, cost_;  // as stored, and as known by now
  const action::ActionKey proof_key_;
  bool proved_ = false;
  protocol::StepDone front_report_;
  StepWork front_, back_;
  std::optional<StepWork> proof_;  // what the proof in the making rests on
  const StepWork* next_;
};

}  // namespace hipcache::daemon

#endif
