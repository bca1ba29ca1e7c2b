// What limits further steps beside the processors: the build tool's -j, and memory.
//
// The problem: a unit of eight architectures is eight compilers, each of which may take gigabytes. Who builds with -j4
// has counted four. The choice: a client's first step always runs, because the build tool has counted it. A further
// step starts only while fewer steps run below the same build tool than its -j says, and while the memory available
// exceeds what this step and those that run are expected to take. Rejected: a setting alone (HIPCACHE_JOBS), because
// nobody sets it before the first build was killed.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_ROOM_H
#define HIPCACHE_SRC_DAEMON_SHARED_ROOM_H

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
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

// The jobs that the words of a command of ninja or make give; 0 if they give none, or no limit.
unsigned jobs_given(const std::vector<std::string>& command);

// The bytes that may still be taken, by the machine and by each control group above the process; "most" if unknown.
// `system`: "" but in tests, which have files there.
std::uint64_t available_memory(pid_t process, const std::string& system = "");
inline constexpr std::uint64_t kUnknownMemory = ~std::uint64_t{0};

// What tells how much room there is; a test has its own.
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

}  // namespace hipcache::daemon

#endif
