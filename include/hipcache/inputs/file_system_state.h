// The present state of the file system and the machine. The state of a path set is one digest over
// the answers to all its questions.
//
// Problem: a hit must prove some 400 files, 700 absences and 80 directories in well under a
// millisecond.
// Choice: a digest is kept per (device, inode, size, mtime, ctime). What a directory contains and
// lacks is kept per directory under its (device, inode, mtime, ctime). That costs one stat per file
// and one per directory. If a time stamp is too recent to prove that nothing changed (kDistrust),
// the file system is asked again.
// Rejected: inotify (races, limits, no network file systems).
#ifndef HIPCACHE_INPUTS_FILE_SYSTEM_STATE_H
#define HIPCACHE_INPUTS_FILE_SYSTEM_STATE_H

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
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {

// A time stamp younger than this, or in the future, proves nothing: a later change might leave it
// the same. Two seconds is the coarsest time stamp of a file system in use (FAT).
inline constexpr std::chrono::seconds kDistrust{2};

// Limits of what is remembered. Past a limit the older half (files, directories) or everything
// (names) is dropped and later read again.
inline constexpr std::size_t kMaxFiles = 200'000;
inline constexpr std::size_t kMaxDirectories = 20'000;
inline constexpr std::size_t kMaxNames = 100'000;

// The request context: the part of a request that its inputs depend on. The caller keeps it alive
// while calls use it.
struct RunContext {
  std::string working_directory;         // physical, absolute
  std::vector<std::string> environment;  // NAME=value, sorted by the caller: sort_environment
  Roots roots;                           // path sets and answers name files in them portably
  // The id that hipcache gives the translation unit; "" if the user's own counts.
  std::string cuid;
  // For an opaque compile, the output names that its key leaves out; portable.
  std::string output_names;

  // hipcache asks the compiler for coloured messages, as the compiler does by itself for a
  // terminal.
  bool colour = false;

  // The value, or null. REQUIRES: sorted.
  const char* variable(std::string_view name) const;
  // The path that a name in a path set means for this request; "" if none.
  std::string path_of(const std::string& name) const;
  // SOURCE_DATE_EPOCH if it is a date that clang accepts: a number of seconds up to the end of the
  // year 9999. Else "", also if unset: with any other value clang fails, whether or not a source
  // asks for the date.
  std::string source_date() const;
  // PWD if it names the working directory, else the working directory, as clang does.
  std::string logical_directory() const;
};
void sort_environment(std::vector<std::string>& environment);

// The cost of one call; tests assert it.
struct Effort {
  std::uint64_t stats = 0;  // stat, lstat, access and the like
  std::uint64_t opens = 0;  // files opened to be digested
  std::uint64_t bytes_read = 0;
  std::uint64_t listings = 0;
  std::uint64_t links = 0;  // readlink, realpath
};

// Nanoseconds since 1970 on the clock that stamps files. Called from any thread.
using Clock = std::function<std::uint64_t()>;
Clock file_clock();  // CLOCK_REALTIME_COARSE: what Linux stamps files with

class SharedStatSnapshot;
struct KnownFile;

// Thread-safe. Memory is bounded by kMaxFiles digests, kMaxDirectories listings and kMaxNames
// names. docs/proof.md says when an answer is remembered, and why that is safe.
class FileSystemState {
 public:
  explicit FileSystemState(Clock clock = file_clock());
  ~FileSystemState();
  FileSystemState(const FileSystemState&) = delete;
  FileSystemState& operator=(const FileSystemState&) = delete;

  // The digest over all answers, in the set's order. If `answered` is given, their fingerprints are
  // added to it (answer_fingerprints.h).
  Digest state(const PathSet& set, const RunContext& from, Effort* effort = nullptr, Answered* answered = nullptr);

  // The states of several sets that overlap; looks at each path once. `answered` gets the answers
  // of the first set.
  std::vector<Digest> states(const std::vector<const PathSet*>& sets, const RunContext& from, Answered* answered);

  // Like state(), and leaves what was seen in `looks`. Private to the folder.
  Digest state(const PathSet& set, const RunContext& from, SharedStatSnapshot& looks, Answered* answered);

  // The digest of a regular file's content as `state` would see it; an error for everything else.
  Result<Digest> content(const std::string& absolute_path, Effort* effort = nullptr);
  bool exists(const std::string& absolute_path, Effort* effort = nullptr);

  // Exports and imports the digests of files, for a later daemon that sees the same files in the
  // same boot. `origin` names the boot and the view. Import takes nothing and returns false if the
  // bytes are damaged or of another origin.
  std::string digests(std::string_view origin);
  bool take_digests(std::string_view bytes, std::string_view origin);
  // How many digests were learned by reading files: tells whether digests() has something new.
  std::uint64_t learned_digests() const;

  // All remembered files with their states. Private to the folder.
  std::vector<KnownFile> known_files();

  struct Memo;  // private to the folder
  Memo& memo() { return *memo_; }

 private:
  std::unique_ptr<Memo> memo_;
};

}  // namespace hipcache::inputs

#endif
