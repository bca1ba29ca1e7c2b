// What FileSystemState remembers between calls: digests by stamp, names and plans, and the clock that decides how far a
// stamp is trusted.
//
// Thread-safe, bounded (see file_system_state.h). Digests are kept by stamp, not by name. So a file that was moved, or
// is reached by another path, is not read again.
#ifndef HIPCACHE_SRC_INPUTS_STATE_FILE_SYSTEM_MEMO_H
#define HIPCACHE_SRC_INPUTS_STATE_FILE_SYSTEM_MEMO_H

#include <atomic>
#include <cstdint>
#include <optional>

#include "hipcache/inputs/file_system_state.h"
#include "inputs/rules/text_marks.h"
#include "inputs/state/aging_map.h"
#include "inputs/state/library_search.h"
#include "inputs/state/path_table.h"
#include "inputs/state/stamp.h"

namespace hipcache::inputs {

// A state of a file, and the digest of its content in that state.
struct KnownFile {
  Stamp stamp;
  Digest digest;
};

// A digest is a hash already.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const { return static_cast<std::size_t>(digest.low); }
};

struct FileSystemState::Memo {
  explicit Memo(Clock now) : clock(std::move(now)) {}

  Clock clock;
  ShardedMap<Stamp, Digest, StampHash> files{kMaxFiles};
  std::atomic<std::uint64_t> learned{0};  // number of files
  ShardedMap<Stamp, Digest, StampHash> directories{kMaxDirectories};
  PathTable names{kMaxNames};
  ShardedMap<Digest, TextMarks, DigestHash> texts{kMaxFiles};  // by content and roots (mentions.cpp)
  ParsedLoaderCache loader_cache;
};

}  // namespace hipcache::inputs

#endif
