// How many steps may run at once on this machine.
//
// A client that the build tool started may always run one step: `-jN` has already counted it. More at a time it may
// only run while fewer steps than the machine has processors (or HIPCACHE_JOBS) are running in all. So a lone unit uses
// an idle machine, and a full build is never more loaded than was asked for.
//
// Sessions that were refused are woken in the order in which they came, as many as there are free places. A session
// that was woken and has no use for its place says so (forget), and the next one is woken. Steps of a client that is
// stopped use no processor and are not counted while that lasts. Thread-safe.
#ifndef HIPCACHE_DAEMON_TOKENS_H
#define HIPCACHE_DAEMON_TOKENS_H

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>

namespace hipcache::daemon {

class Tokens {
 public:
  // `look_again`: how long what is known of stopped clients is believed. Looking costs a system call per client.
  explicit Tokens(unsigned total, std::chrono::milliseconds look_again = std::chrono::seconds(1))
      : total_(total == 0 ? 1 : total), look_again_(look_again) {}

  // A session of the client with the process `holder` starts a step. The first of a session is always granted, further
  // ones only if a place is free; if not, `wake_fd` is written to as soon as one is. A client that gets stopped wakes
  // nobody: who waits asks again from time to time. REQUIRES: wake_fd stays open until forget(wake_fd).
  bool start(bool first_of_session, pid_t holder, int wake_fd);
  void finish(pid_t holder);

  // The session waits no longer. A place that it was woken for goes to the next.
  void forget(int wake_fd);

  unsigned running() const;

 private:
  unsigned places_taken();
  void wake_waiting();

  const unsigned total_;
  const std::chrono::milliseconds look_again_;
  mutable std::mutex mutex_;  // guards all below
  unsigned running_ = 0;
  std::map<pid_t, unsigned> held_;  // steps by client
  unsigned held_by_stopped_ = 0;    // as of looked_
  std::chrono::steady_clock::time_point looked_;
  std::deque<int> waiting_;          // each at most once
  std::unordered_set<int> offered_;  // woken, and not heard of since
};

// The processors that this process may use.
unsigned usable_processors();

}  // namespace hipcache::daemon

#endif
