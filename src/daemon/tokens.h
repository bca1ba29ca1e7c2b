// How many steps may run at once on this machine.
//
// A client that the build tool started may always run one step: `-jN` has already counted it. More at a time it may
// only run while fewer steps than the machine has processors (or HIPCACHE_JOBS) are running in all. So a lone unit uses
// an idle machine, and a full build is never more loaded than was asked for. Thread-safe.
#ifndef HIPCACHE_DAEMON_TOKENS_H
#define HIPCACHE_DAEMON_TOKENS_H

#include <mutex>
#include <unordered_set>

namespace hipcache::daemon {

class Tokens {
 public:
  explicit Tokens(unsigned total) : total_(total == 0 ? 1 : total) {}

  // A session starts a step. The first of a session is always granted, further ones only if a place is free; if not,
  // `wake_fd` is written to as soon as one is. REQUIRES: wake_fd stays open until forget(wake_fd).
  bool start(bool first_of_session, int wake_fd);
  void finish();
  void forget(int wake_fd);

  unsigned running() const;

 private:
  const unsigned total_;
  mutable std::mutex mutex_;
  unsigned running_ = 0;
  std::unordered_set<int> waiting_;
};

// The processors that this process may use.
unsigned usable_processors();

}  // namespace hipcache::daemon

#endif
