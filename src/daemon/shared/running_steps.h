// The steps that clients run now, for those who watch a build.
//
// Owns the entries' names; each entry ends with the object that begin() returned. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_RUNNING_STEPS_H
#define HIPCACHE_SRC_DAEMON_SHARED_RUNNING_STEPS_H

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace hipcache::daemon {

class RunningSteps {
 public:
  struct Step {
    std::string object;  // of the request
    std::string label;   // "device gfx906"
    std::string arch;    // empty if it has none
    std::chrono::steady_clock::time_point since;
  };

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

  Entry begin(Step step);

  // In the order in which they began.
  std::vector<Step> now() const;

 private:
  void end(std::uint64_t number);

  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Step> steps_;
};

}  // namespace hipcache::daemon

#endif
