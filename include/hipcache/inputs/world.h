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
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/base/roots.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/told.h"

namespace hipcache::inputs {

// A stamp younger than this, or from the future, proves nothing: a change to come might leave it as it is. Two seconds
// is the coarsest stamp of a file system in use (FAT).
inline constexpr std::chrono::seconds kDistrust{2};

// What is remembered at most; past it the older half goes (files, directories) or all of it (names), and is found out
// anew.
inline constexpr std::size_t kMaxFiles = 200'000;
inline constexpr std::size_t kMaxDirectories = 20'000;
inline constexpr std::size_t kMaxNames = 100'000;

// The part of a request that its inputs are seen from. Kept by the caller for as long as calls that use it run.
struct Surroundings {
  std::string working_directory;         // physical, absolute
  std::vector<std::string> environment;  // NAME=value, sorted by the caller: sort_environment
  Roots roots;                           // what lies in them has portable names in path sets and answers
  std::string cuid;                      // that hipcache gives the translation unit; "" where the user's own counts
  std::string output_names;              // of an opaque command, as far as its key leaves them out; portable

  bool colour = false;  // hipcache asks the compiler for messages in colour, as it does by itself for a terminal

  // The value, or null. REQUIRES: sorted.
  const char* variable(std::string_view name) const;
  // The path that a name in a path set stands for; "" if it names nothing here.
  std::string path_of(const std::string& name) const;
  // SOURCE_DATE_EPOCH where it is a date that clang takes: a number of seconds up to the end of the year 9999. "" where
  // it is not set, or is anything else: clang then fails, whether or not a source asks for the date.
  std::string source_date() const;
  // PWD if it names the working directory, else the working directory: what clang takes for it.
  std::string logical_directory() const;
};
void sort_environment(std::vector<std::string>& environment);

// What one call cost; tests assert it.
struct Effort {
  std::uint64_t stats = 0;  // stat, lstat, access and their kin
  std::uint64_t opens = 0;  // files opened to be digested
  std::uint64_t bytes_read = 0;
  std::uint64_t listings = 0;
  std::uint64_t links = 0;  // readlink, realpath
};

// Nanoseconds since 1970 on the clock that stamps files. Called from any thread.
using Clock = std::function<std::uint64_t()>;
Clock file_clock();  // CLOCK_REALTIME_COARSE: what Linux stamps files with

class Looks;
struct KnownFile;

// Thread-safe. Memory is bounded: at most kMaxFiles digests, kMaxDirectories listings and kMaxNames names are
// remembered. docs/proof.md says when an answer is remembered, and what that rests on.
class World {
 public:
  explicit World(Clock clock = file_clock());
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // The digest over all answers, in the set's order. They are added to `answered`, if given, one by one (told.h).
  Digest state(const PathSet& set, const Surroundings& from, Effort* effort = nullptr, Answered* answered = nullptr);

  // Of several sets that overlap, for the price of one look at each path. The answers are of the first.
  std::vector<Digest> states(const std::vector<const PathSet*>& sets, const Surroundings& from, Answered* answered);

  // The same, leaving behind what was seen: private to the folder.
  Digest state(const PathSet& set, const Surroundings& from, Looks& looks, Answered* answered);

  // The digest of a regular file's content as `state` would see it; an error for everything else.
  Result<Digest> content(const std::string& absolute_path, Effort* effort = nullptr);
  bool exists(const std::string& absolute_path, Effort* effort = nullptr);

  // The digests of files for a later world that sees the same files in the same boot, and back. `origin` names the boot
  // and the view. False, and nothing is taken, for bytes that are damaged or of another origin.
  std::string digests(std::string_view origin);
  bool take_digests(std::string_view bytes, std::string_view origin);
  // How many were learned by reading files: tells whether digests() has something new.
  std::uint64_t learned_digests() const;

  // All states of files whose digest is remembered: private to the folder.
  std::vector<KnownFile> known_files();

  struct Memory;  // private to the folder
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

}  // namespace hipcache::inputs

#endif
