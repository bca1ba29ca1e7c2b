// What FileSystemState remembers between calls: digests by stamp, names and orders, and the clock that decides how far
// a stamp is trusted.
//
// Thread-safe, bounded. Digests are kept by stamp, not by name. So a file that was moved, or
// is reached by another path, is not read again.
#ifndef HIPCACHE_SRC_INPUTS_STATE_FILE_SYSTEM_MEMO_H
#define HIPCACHE_SRC_INPUTS_STATE_FILE_SYSTEM_MEMO_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "hipcache/inputs/file_clock.h"
#include "inputs/loader/current_loader_cache.h"
#include "inputs/rules/text_marks.h"
#include "inputs/state/aging_map.h"
#include "inputs/state/mounts.h"
#include "inputs/state/path_table.h"
#include "inputs/state/stamp.h"
#include "inputs/tokens/sketch.h"

namespace hipcache::inputs {

// Limits of what is remembered. Past a limit the older half (files, directories) or everything
// (names) is dropped and later read again.
inline constexpr std::size_t kMaxFiles = 200'000;
inline constexpr std::size_t kMaxDirectories = 20'000;
inline constexpr std::size_t kMaxNames = 100'000;
inline constexpr std::size_t kMaxSources = 5'000;
inline constexpr std::size_t kMaxSketches = 1'000;     // by the beginnings of their three digests
inline constexpr std::size_t kLongestSketch = 20'000;  // tokens

struct ListingDigests {
  Digest all;   // of all names
  Digest rocm;  // of those that clang's driver takes (rules/driver_listings.h)
  Digest bitcode;
};

struct FileSystemMemo {
  FileSystemMemo(Clock now, MountIds mount_ids) : clock(std::move(now)), mounts(mount_ids) {}

  Clock clock;
  Mounts mounts;
  ShardedMap<Stamp, Digest, StampHash> files{kMaxFiles};
  std::atomic<std::uint64_t> learned{0};  // number of files
  ShardedMap<Stamp, ListingDigests, StampHash> directories{kMaxDirectories};
  PathTable names{kMaxNames};
  ShardedMap<Digest, TextMarks, std::hash<Digest>> texts{kMaxFiles};  // by content and roots (mentions/mentions.cpp)
  ShardedMap<Digest, TokenDigests, std::hash<Digest>> tokens{kMaxFiles};  // by content (tokens/known_sources.h)
  ShardedMap<Digest, std::shared_ptr<const SourceNames>, std::hash<Digest>> names_in_sources{kMaxSources};
  ShardedMap<std::uint64_t, std::shared_ptr<const Sketch>, std::hash<std::uint64_t>> sketches{3 * kMaxSketches};
  CurrentLoaderCache loader_cache;
};

}  // namespace hipcache::inputs

#endif
