// Is told what becomes of a request: which steps were found, which run and what the client was told. The log and the
// event log are written from this (daemon/events).
//
// All calls come from the request's thread. They must not throw, and none may wait.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_OBSERVER_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_OBSERVER_H

#include <string>
#include <vector>

#include "hipcache/cache/miss_history.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

class StepClock;
struct RequestContext;
struct StepState;

// What the client was told.
struct Replied {
  stats::Outcome outcome = stats::Outcome::aborted;
  int exit_code = 0;
  const compiler::Uncacheable* why = nullptr;  // of a bypass, also if the client was gone before
};

class RequestObserver {
 public:
  virtual ~RequestObserver() = default;

  // Whether step_runs() is of use. If not, callers do not make its arguments.
  virtual bool wants_reasons() const = 0;

  // The client is about to run a step because no stored result was valid. `makers`: the labels of the steps that made
  // the step's inputs. REQUIRES: the context's request outlives the answer.
  virtual void step_runs(const RequestContext& context, const cache::HistoryStep& step,
                         const std::vector<std::string>& makers) = 0;

  // The step was found or has run. `is_usable`: false if the daemon could make nothing of the run.
  virtual void step_ended(const StepState& step, const StepClock& clock, bool is_usable) = 0;

  // The result that the client gets: found as a whole, combined from steps, or made by an opaque run.
  virtual void has_result(const cache::ActionResult& result, bool is_found) = 0;

  // The request was none for a cache: nothing is to be told of it.
  virtual void left_alone() = 0;

  // The client has its answer, or was gone before. Nothing of the request is recorded in the miss history yet.
  virtual void replied(const Replied& reply) = 0;
};

}  // namespace hipcache::daemon

#endif
