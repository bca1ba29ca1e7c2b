#include "daemon/tokens.h"

#include <sched.h>

#include "daemon/in_flight.h"

namespace hipcache::daemon {

bool Tokens::start(bool first_of_session, int wake_fd) {
  const std::lock_guard lock(mutex_);
  if (!first_of_session && running_ >= total_) {
    waiting_.insert(wake_fd);
    return false;
  }
  ++running_;
  return true;
}

void Tokens::finish() {
  const std::lock_guard lock(mutex_);
  --running_;
  if (running_ >= total_) return;
  for (const int fd : waiting_) wake(fd);
  waiting_.clear();
}

void Tokens::forget(int wake_fd) {
  const std::lock_guard lock(mutex_);
  waiting_.erase(wake_fd);
}

unsigned Tokens::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

}  // namespace hipcache::daemon
