// The world as it is now, asked cheaply: the state of a path set is one digest over the answers to all its questions.
//
// The problem: a hit is a proof over some 400 files, 700 absences and 80 directories, in well under a millisecond.
// The choice: a digest is kept per (device, inode, size, mtime, ctime), and what a directory does and does not contain
// is kept per directory under its (device, inode, mtime, ctime): one stat per file and one per directory. What is too
// new to be told apart by a time stamp (kDistrust) is asked of the file system again. Rejected: inotify (races, limits,
// no network file systems).
#ifndef HIPCACHE_INPUTS_WORLD_H
#define HIPCACHE_INPUTS_WORLD_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {

inline constexpr std::chrono::seconds kDistrust{2};

// The part of a request that its inputs are seen from. Kept by the caller for as long as calls that use it run.
struct Surroundings {
  std::string working_directory;         // physical, absolute
  std::vector<std::string> environment;  // NAME=value, sorted by the caller: sort_environment

  // The value, or null. REQUIRES: sorted.
  const char* variable(std::string_view name) const;
  // PWD if it names the working directory, else the working directory: what clang takes for it.
  std::string logical_directory() const;
};
void sort_environment(std::vector<std::string>& environment);

// What one call cost; tests assert it.
struct Effort {
  std::uint64_t stats = 0;  // stat, lstat, access
  std::uint64_t opens = 0;  // files opened to be digested
  std::uint64_t bytes_read = 0;
  std::uint64_t listings = 0;
  std::uint64_t links = 0;  // readlink, realpath
};

// Thread-safe. Memory is bounded: at most kMaxFiles digests and kMaxDirectories directories are remembered.
class World {
 public:
  World();
  ~World();

  // The digest over all answers, in the set's order.
  Digest state(const PathSet& set, const Surroundings& from, Effort* effort = nullptr);

  // The digest of a file's content as `state` would see it.
  Result<Digest> content(const std::string& absolute_path, Effort* effort = nullptr);
  bool exists(const std::string& absolute_path, Effort* effort = nullptr);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace hipcache::inputs

#endif
