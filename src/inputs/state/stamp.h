// Tells one state of a file or directory from another without reading it.
//
// ctime is the part that counts: every change of content, names, mode or links sets it, and no program can set it back.
#ifndef HIPCACHE_SRC_INPUTS_STATE_STAMP_H
#define HIPCACHE_SRC_INPUTS_STATE_STAMP_H

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>

#include "hipcache/base/digest.h"

namespace hipcache::inputs {

struct Stamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t mount = 0;      // which mount the file lies on (mounts.h)
  bool proves_nothing = false;  // the file may change and keep its stamp
  bool operator==(const Stamp&) const = default;
};

struct StampHash {
  std::size_t operator()(const Stamp& stamp) const noexcept;
};

// A state of a file, and the digest of its content in that state.
struct KnownFile {
  Stamp stamp;
  Digest digest;
};

// Without the mount.
Stamp stamp_of(const struct stat& status);

// Whether every change after `now_ns` will show in the stamp: it can prove something, and its times are older than
// kDistrust and not in the future.
bool is_settled(const Stamp& stamp, std::uint64_t now_ns);

}  // namespace hipcache::inputs

#endif
