// Job slots: how many steps may run at once on this machine.
//
// Each client may always run one step, because the build tool's `-jN` has counted it. It may run more only while fewer
// steps run in total than the machine has processors (or HIPCACHE_JOBS). So a single unit uses an idle machine, and a
// full build does not exceed the load that the user asked for.
//
// Refused sessions are woken in order of arrival, as many as there are free slots. A woken session that does not need
// its slot calls forget(), and the next one is woken. Steps of a stopped client use no processor and do not count
// meanwhile. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_JOB_SLOTS_H
#define HIPCACHE_SRC_DAEMON_SHARED_JOB_SLOTS_H

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>

namespace hipcache::daemon {

class JobSlots {
 public:
  // `look_again`: how long a check for stopped clients is valid. A check costs a system call per client.
  explicit JobSlots(unsigned total, std::chrono::milliseconds look_again = std::chrono::seconds(1))
      : total_(total == 0 ? 1 : total), look_again_(look_again) {}

  // A session of the client process `holder` starts a step. A session's first step is always granted, a further one
  // only if a slot is free. If not, `wake_fd` is written to when one is. A client that gets stopped wakes nobody, so
  // waiters must ask again from time to time. REQUIRES: wake_fd stays open until forget(wake_fd).
  bool start(bool first_of_session, pid_t holder, int wake_fd);
  void finish(pid_t holder);

  // The session waits no longer. The slot that it was woken for goes to the next.
  void forget(int wake_fd);

  unsigned running() const;

  // Whether a slot is free and nobody waits for it.
  bool is_any_free() const;

 private:
  unsigned places_taken();
  void wake_waiting();

  const unsigned total_;
  const std::chrono::milliseconds look_again_;
  mutable std::mutex mutex_;  // guards all below
  unsigned running_ = 0;
  std::map<pid_t, unsigned> held_;  // steps by client
  unsigned held_by_stopped_ = 0;    // at the time looked_
  std::chrono::steady_clock::time_point looked_;
  std::deque<int> waiting_;          // each at most once
  std::unordered_set<int> offered_;  // woken, and not answered yet
};

// The number of processors that this process may use.
unsigned usable_processors();

}  // namespace hipcache::daemon

#endif
