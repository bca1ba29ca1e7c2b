// A step that has ended, in the form of the event log.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_ENDED_STEP_H
#define HIPCACHE_SRC_DAEMON_STEPS_ENDED_STEP_H

#include <chrono>
#include <cstdint>

#include "daemon/request/request_observer.h"
#include "daemon/steps/step_state.h"

namespace hipcache::daemon {

// Runs from its construction on.
class StepClock {
 public:
  StepClock() : start_us_(events::now_us()), started_(std::chrono::steady_clock::now()) {}

  std::uint64_t start_us() const { return start_us_; }
  std::uint64_t elapsed_us() const {
    const auto elapsed = std::chrono::steady_clock::now() - started_;
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count());
  }

 private:
  std::uint64_t start_us_;
  std::chrono::steady_clock::time_point started_;
};

// `is_usable`: false if the daemon could make nothing of the run.
EndedStep ended_step(const StepState& state, const StepClock& clock, bool is_usable);

}  // namespace hipcache::daemon

#endif
