// Job slots: how many steps may run at once on this machine.
//
// Each client may always run one step, because the build tool's `-jN` has counted it. It may run more only while fewer
// steps run in total than the machine has processors (or HIPCACHE_JOBS), and while there is room (room.h). So a single
// unit uses an idle machine, and a full build does not exceed the load that the user asked for.
//
// Refused sessions are woken in order of arrival, as many as there are free slots. A woken session that does not need
// its slot calls forget(), and the next one is woken. Steps of a stopped client use no processor and do not count
// meanwhile. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_JOB_SLOTS_H
#define HIPCACHE_SRC_DAEMON_SHARED_JOB_SLOTS_H

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "daemon/shared/room.h"
#include "hipcache/base/digest.h"

namespace hipcache::daemon {

// Pending writes: requests whose clients have their answer while the result is still being written to the store.
// Clients do not wait for the write, but a later lookup waits for the pending write.
//
// The daemon decides before the answer what may be recorded, because the user may change any file afterwards. Only
// encoding and writing remain. Rejected: a queue with its own thread, which needs a bound and has to be drained at the
// end. Here the session writes after its final message, and the server waits for sessions. Thread-safe.

class PendingWrites {
 public:
  // A slow store must not hold up later requests: without the wait, a compile only runs twice.
  static constexpr std::chrono::seconds kLimit{2};

  // The keys are pending until this object is destroyed.
  class Mark {
   public:
    Mark(PendingWrites& table, std::uint64_t number) : table_(&table), number_(number) {}
    Mark(Mark&& other) noexcept : table_(std::exchange(other.table_, nullptr)), number_(other.number_) {}
    Mark& operator=(Mark&&) = delete;
    ~Mark() {
      if (table_ != nullptr) table_->end(number_);
    }

   private:
    PendingWrites* table_;
    std::uint64_t number_;
  };

  Mark mark(std::vector<Digest> keys);

  // Waits for the marks of now that have the key, or for all marks of now; not longer than the limit.
  void wait_for(const Digest& key, std::chrono::milliseconds limit = kLimit);
  void wait_for_all(std::chrono::milliseconds limit = kLimit);

 private:
  using Keys = std::vector<Digest>;

  void wait(const std::function<bool(const Keys&)>& matters, std::chrono::milliseconds limit);
  void end(std::uint64_t number);

  std::mutex mutex_;
  std::condition_variable ended_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Keys> marks_;
};

// The steps that clients or the engine run now, for those who watch a build.
//
// Owns the entries' names; each entry ends with the object that begin() returned. Thread-safe.

class RunningSteps {
 public:
  struct Step {
    std::string object;  // of the request
    std::string label;   // "device gfx906"
    std::string arch;    // empty if it has none
    std::chrono::steady_clock::time_point since;
    bool is_sent = false;  // it is with the engine
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

class JobSlots {
 public:
  // `look_again`: how long a check for stopped clients is valid. A check costs a system call per client.
  explicit JobSlots(unsigned total, std::chrono::milliseconds look_again = std::chrono::seconds(1), Room room = {})
      : total_(total == 0 ? 1 : total), look_again_(look_again), room_(std::move(room)) {}

  // Who wants to run a step.
  struct Wish {
    pid_t client = 0;
    std::uint64_t memory = 0;  // bytes that the step is expected to take; 0: not known
    int wake_fd = -1;
  };

  // A session starts a step. A session's first step is always granted, a further one only if a slot is free and there
  // is room. If not, `wake_fd` is written to when that may be so. A client that gets stopped wakes nobody, nor does
  // memory that others free, so waiters must ask again from time to time. REQUIRES: wake_fd stays open until
  // forget(wake_fd).
  bool start(bool first_of_session, const Wish& wish);
  void finish(pid_t client, std::uint64_t memory);

  // For a step that also runs elsewhere: only a slot that nobody else wants is granted, whatever the session runs. If
  // there is none, `wake_fd` is written to when one may be there. REQUIRES: as above.
  bool start_spare(const Wish& wish);

  // The session waits no longer. The slot that it was woken for goes to the next.
  void forget(int wake_fd);

  unsigned running() const;

  // The jobs that the build tool above the client was given (0: none), and the slots.
  std::pair<unsigned, unsigned> limits(pid_t client) const { return {room_.build_tool(client).jobs, total_}; }

  // Whether a slot is free and nobody waits for it.
  bool is_any_free() const;

  // Whether a process of that client's, which takes a processor and that much memory, would be in nobody's way: a slot
  // is free, and no build runs as many jobs as it was given.
  bool is_idle(const Wish& wish) const;

 private:
  struct Held {
    unsigned steps = 0;
    BuildTool tool;
  };
  struct Waiting {
    int wake_fd;
    BuildTool tool;
  };

  BuildTool tool_of(pid_t client);
  unsigned steps_below(const BuildTool& tool) const;
  bool is_within_jobs(const BuildTool& tool) const;
  bool has_memory_for(const Wish& wish) const;
  bool has_slot_for(const BuildTool& tool);
  void take(const Wish& wish, const BuildTool& tool);
  unsigned places_taken();
  void wake_waiting();

  const unsigned total_;
  const std::chrono::milliseconds look_again_;
  const Room room_;
  mutable std::mutex mutex_;  // guards all below
  unsigned running_ = 0;
  std::uint64_t memory_ = 0;      // that the running steps are expected to take
  std::map<pid_t, Held> held_;    // steps by client
  unsigned held_by_stopped_ = 0;  // at the time looked_
  std::chrono::steady_clock::time_point looked_;
  std::deque<Waiting> waiting_;        // each at most once
  std::deque<Waiting> waiting_spare_;  // as above
  std::map<int, BuildTool> offered_;   // woken, and not answered yet
};

// The number of processors that this process may use.
unsigned usable_processors();

}  // namespace hipcache::daemon

#endif
