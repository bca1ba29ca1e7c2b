// Is told of every step that the client is about to run because no stored result was valid.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_MISS_OBSERVER_H
#define HIPCACHE_SRC_DAEMON_REQUEST_MISS_OBSERVER_H

#include <string>
#include <vector>

#include "hipcache/cache/miss_history.h"

namespace hipcache::daemon {

struct RequestContext;

class MissObserver {
 public:
  virtual ~MissObserver() = default;

  // `makers`: the labels of the steps that made the step's inputs. Called by the request's thread, before the run.
  virtual void step_runs(const RequestContext& context, const cache::HistoryStep& step,
                         const std::vector<std::string>& makers) = 0;
};

}  // namespace hipcache::daemon

#endif
