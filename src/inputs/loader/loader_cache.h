// What /etc/ld.so.cache says of each library: where ldconfig found it, and for which processors.
//
// The problem: ldconfig rewrites the file when any package installs a library. If its content were an input, every
// installation would cause misses. The choice: only the entries for the names that the compile's programs looked for
// are inputs. Rejected: running ldconfig -p, which costs a process for each look.
//
// The format is glibc's (sysdeps/generic/dl-cache.h, elf/cache.c). Only the "new" format is understood, which ldconfig
// alone writes since glibc 2.32; the older compound format is not. It has a header with the magic
// "glibc-ld.so.cache1.1", entries of 24 bytes, strings by their offsets, and extensions. One extension names the
// glibc-hwcaps subdirectories.
//
// Immutable after construction; safe to share between threads.
#ifndef HIPCACHE_SRC_INPUTS_LOADER_LOADER_CACHE_H
#define HIPCACHE_SRC_INPUTS_LOADER_LOADER_CACHE_H

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"

namespace hipcache::inputs {

// Where glibc's loader looks, as far as the processor decides it.
//
// The source: glibc's sysdeps/<processor> (dl-hwcaps-subdirs.c, dl-procinfo.h, and before 2.37 dl-hwcaps.c), and how
// Debian, Fedora, openSUSE and Arch build it. A loader of another processor serves programs that are not traced
// (trace/loads_library.h). The choice: a table for each processor that the trace library knows; a build for another one
// stops here. Rejected: one list of all names, because each name is a question of each compile.

#if defined __x86_64__
// Where the loader looks last.
inline constexpr std::array<std::string_view, 6> kDefaultDirectories = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
// Below glibc-hwcaps, from glibc 2.33 on. The loader prefers them to the directory that holds glibc-hwcaps.
inline constexpr std::array<std::string_view, 3> kHwcapsLevels = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
// Subdirectories that loaders before glibc 2.37 prefer. They nest.
inline constexpr std::array<std::string_view, 4> kOldPreferred = {"tls", "haswell", "avx512_1", "x86_64"};
// What $LIB and $PLATFORM may mean in a list of directories.
inline constexpr std::array<std::string_view, 3> kLibTokens = {"lib64", "lib", "lib/x86_64-linux-gnu"};
inline constexpr std::array<std::string_view, 3> kPlatformTokens = {"x86_64", "haswell", "xeon_phi"};
#elif defined __aarch64__
inline constexpr std::array<std::string_view, 6> kDefaultDirectories = {
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
inline constexpr std::array<std::string_view, 0> kHwcapsLevels = {};  // glibc has none for this processor
inline constexpr std::array<std::string_view, 3> kOldPreferred = {"tls", "atomics", "aarch64"};
inline constexpr std::array<std::string_view, 3> kLibTokens = {"lib64", "lib", "lib/aarch64-linux-gnu"};
inline constexpr std::array<std::string_view, 1> kPlatformTokens = {"aarch64"};
#else
#error "hipcache traces compilers on x86-64 and arm64 alone"
#endif

class LoaderCache {
 public:
  // An error if the bytes are damaged or of another format.
  static Result<LoaderCache> parse(std::string_view bytes);

  // The cache's entries for the name, in order: kind of library, processor, path. Empty if it has none.
  std::string_view entries_of(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::string> entries_;
};

// The loader's cache of this machine, parsed once for each content, and what it was a moment ago.
//
// The problem: ldconfig rewrites the file for each installed library, so the cache changes while steps run, and what a
// step loaded is only known afterwards. The choice: the last few contents are kept with the times at which they were
// seen, so the entries before and after a step can be compared. Rejected: a look before each step, because every state
// of a path set looks already.

inline constexpr const char* kLoaderCacheFile = "/etc/ld.so.cache";

// Thread-safe.
class CurrentLoaderCache {
 public:
  // The parsed cache of that content; null if the file has changed since or is not understood. `ctime_ns` is the
  // file's, `seen_ns` a time of the file clock before the file was looked at.
  std::shared_ptr<const LoaderCache> of(const Digest& content, std::int64_t ctime_ns, std::uint64_t seen_ns);

  // The cache that was there at that time of the file clock; null if no look in the minute before tells.
  std::shared_ptr<const LoaderCache> as_of(std::uint64_t time_ns) const;

 private:
  static constexpr std::size_t kMost = 4;
  static constexpr std::uint64_t kLongestGap = 60'000'000'000;  // ns from a look to the time that is asked for

  struct Seen {
    Digest content;
    std::int64_t ctime_ns = 0;
    std::uint64_t first_ns = 0, last_ns = 0;
    std::shared_ptr<const LoaderCache> cache;  // null: not understood
  };

  mutable std::mutex mutex_;
  std::deque<Seen> seen_;  // in order of their first look; neighbours differ
};

}  // namespace hipcache::inputs

#endif
