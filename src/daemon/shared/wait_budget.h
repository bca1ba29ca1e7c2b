// How long a request waits for steps that other clients are running, over all of its steps.
//
// A request waits for each claim until the claim is overdue (single_flight.h). With clients that are alive but never
// report, each claim would cost the request that limit. So the first overdue claim ends the patience for all: the
// request then waits a short time more for any claim, and afterwards for none. In a build without such clients no claim
// is ever overdue, and this changes nothing. An overdue claim that another client took over counts as well.
//
// Rejected: ending all waits at once. All clients that waited for the overdue claim would run that step at the same
// time.
//
// Belongs to a request; used by its session's thread alone.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_WAIT_BUDGET_H
#define HIPCACHE_SRC_DAEMON_SHARED_WAIT_BUDGET_H

#include <optional>
#include <unordered_map>

#include "daemon/shared/single_flight.h"
#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class WaitBudget {
 public:
  using Clock = SingleFlight::Clock;

  // Whether to keep waiting for another client's claim of that step. `more`: how long the request waits after its first
  // overdue claim.
  bool lasts(const Digest& step, const SingleFlight::Busy& claim, Clock::time_point now, Clock::duration more);
  // The claim that was waited for has ended, and nobody runs the step.
  void note_free(const Digest& step) { awaited_.erase(step); }

 private:
  std::unordered_map<Digest, SingleFlight::Busy> awaited_;  // the last one of each step
  std::optional<Clock::time_point> end_;
};

}  // namespace hipcache::daemon

#endif
