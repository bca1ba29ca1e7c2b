// Job slots: how many steps may run at once on this machine.
//
// The problem: a unit of eight architectures is eight compilers, each of which may take gigabytes. Who builds with -j4
// has counted four. The choice: a client's first step always runs, because the build tool has counted it. A further
// step starts only while fewer steps run in total than the machine has processors (or HIPCACHE_JOBS), while fewer run
// below the same build tool than its -j says, and while the memory available exceeds what this step and those that run
// are expected to take. So a single unit uses an idle machine, and a full build does not exceed the load that the user
// asked for. Rejected: a setting alone, because nobody sets it before the first build was killed.
//
// Refused sessions are woken in order of arrival, as many as there are free slots. A woken session that does not need
// its slot calls forget(), and the next one is woken. Steps of a stopped client use no processor and do not count
// meanwhile. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_JOB_SLOTS_H
#define HIPCACHE_SRC_DAEMON_SHARED_JOB_SLOTS_H

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

// The nearest ninja or make above a client that was given a -j.
struct BuildTool {
  pid_t process = 0;
  std::uint64_t started = 0;  // ProcessStatus
  unsigned jobs = 0;          // 0: nothing limits them
  bool operator==(const BuildTool&) const = default;
};

BuildTool build_tool_of(pid_t client);

// The words of the nearest ninja or make above the client; none if there is none.
std::vector<std::string> build_command_of(pid_t client);

// The jobs that the words of a command of ninja or make give; 0 if they give none, or no limit.
unsigned jobs_given(const std::vector<std::string>& command);

// The bytes that may still be taken, by the machine and by each control group above the process; "most" if unknown.
// `system`: "" but in tests, which have files there.
std::uint64_t available_memory(pid_t process, const std::string& system = "");
inline constexpr std::uint64_t kUnknownMemory = ~std::uint64_t{0};

// What tells how much room there is beside the processors; a test has its own.
struct Room {
  std::function<BuildTool(pid_t)> build_tool = build_tool_of;
  std::function<std::uint64_t(pid_t)> available_memory = [](pid_t client) { return daemon::available_memory(client); };
};

// How much memory steps took: each step's last peak by its key, and for a step that has not run here the most of the
// last ones of its label ("device gfx90a").
//
// Thread-safe. Memory: kMostSteps keys, 64 labels. It ends with the daemon: then the first steps run as if small.
class StepMemory {
 public:
  static constexpr std::size_t kMostSteps = 20'000;

  void note(const Digest& key, const std::string& label, std::uint64_t peak_bytes);
  // 0: not known
  std::uint64_t expected(const Digest& key, const std::string& label) const;

 private:
  static constexpr std::size_t kRecent = 16;
  static constexpr std::size_t kMostLabels = 64;

  mutable std::mutex mutex_;
  std::unordered_map<Digest, std::uint64_t> by_key_;
  std::map<std::string, std::deque<std::uint64_t>> recent_;  // by label
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
