// How long one request waits for steps that other clients are running, all of its steps together.
//
// Each claim is waited for until it is overdue (in_flight.h). Clients that are alive and never report would cost a
// request that limit once each. So the first overdue claim that a request meets ends its patience with all: from then
// on it waits for a short time more, for whoever, and after that for nobody. In a build without such clients no claim
// is ever overdue, and this changes nothing. A claim that somebody else took over when it was overdue counts as met.
//
// Rejected: to wait for nobody at once. All who waited for the overdue claim would run that step at the same time.
//
// Belongs to a request; used by its session's thread alone.
#ifndef HIPCACHE_DAEMON_PATIENCE_H
#define HIPCACHE_DAEMON_PATIENCE_H

#include <optional>
#include <unordered_map>

#include "daemon/in_flight.h"
#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class Patience {
 public:
  using Clock = InFlight::Clock;

  // Whether to wait on for another client's claim of that step. `more`: how long the request waits after the first
  // claim that was overdue.
  bool lasts(const Digest& step, const InFlight::Busy& claim, Clock::time_point now, Clock::duration more);
  // Nobody runs that step now: the claim that was waited for has ended.
  void note_free(const Digest& step) { awaited_.erase(step); }

 private:
  std::unordered_map<Digest, InFlight::Busy> awaited_;  // the last one of each step
  std::optional<Clock::time_point> end_;
};

}  // namespace hipcache::daemon

#endif
