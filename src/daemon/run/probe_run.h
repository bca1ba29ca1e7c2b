// The run of a probe: the driver prints its jobs (-###), and its messages are the result. Nothing is written.
//
// A wrapper gets the user's own words, and the driver that it becomes prints the jobs (wrapper.h).
#ifndef HIPCACHE_SRC_DAEMON_RUN_PROBE_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_PROBE_RUN_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/run/step_run.h"
#include "daemon/run/wrapper.h"

namespace hipcache::daemon {

class ProbeRun : public SingleRun {
 public:
  // Both references outlive this object. `through`: set if a wrapper is asked with the user's words.
  ProbeRun(StepState& state, std::optional<ThroughWrapper> through, const StepContext& context)
      : SingleRun(state), through_(std::move(through)), context_(context) {}

  Status prepare() override;

 private:
  Status take(const protocol::StepDone& report) override;
  void take_trace(const protocol::StepDone& report);
  std::string take_driver();

  const std::optional<ThroughWrapper> through_;
  const StepContext& context_;
};

}  // namespace hipcache::daemon

#endif
