// The steps that clients or the engine run now, for those who watch a build.
//
// Owns the entries' names; each entry ends with the object that begin() returned. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_RUNNING_STEPS_H
#define HIPCACHE_SRC_DAEMON_SHARED_RUNNING_STEPS_H

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

class RunningSteps {
 public:
  // The step runs until this object is destroyed, which the table outlives.
  class Entry {
   public:
    Entry() = default;
    Entry(RunningSteps& table, std::uint64_t number) : table_(&table), number_(number) {}
    Entry(Entry&& other) noexcept : table_(std::exchange(other.table_, nullptr)), number_(other.number_) {}
    Entry& operator=(Entry&&) = delete;
    ~Entry() {
      if (table_ != nullptr) table_->end(number_);
    }

   private:
    RunningSteps* table_ = nullptr;
    std::uint64_t number_ = 0;
  };

  // `step`: its age counts from now.
  Entry begin(stats::RunningStep step);

  // In the order in which they began.
  std::vector<stats::RunningStep> now() const;

 private:
  struct Begun {
    stats::RunningStep step;
    std::chrono::steady_clock::time_point since;
  };

  void end(std::uint64_t number);

  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Begun> steps_;
};

}  // namespace hipcache::daemon

#endif
