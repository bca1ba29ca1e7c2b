// Digests of files and of directory listings. A digest comes from memory if the stamp is known. Otherwise the file or
// directory is read, and its digest is remembered if every later change will show in the stamp.
#ifndef HIPCACHE_SRC_INPUTS_STATE_DIGESTS_H
#define HIPCACHE_SRC_INPUTS_STATE_DIGESTS_H

#include <cstdint>
#include <optional>
#include <string>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/effort.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/state/path_stat.h"

namespace hipcache::inputs {

struct FileDigest {
  Digest digest;
  Stamp stamp;  // of what was read; from memory: of `seen`
  bool was_read = false;
};

// nullopt if the file cannot be opened or read to its end. REQUIRES: seen.is_file()
std::optional<FileDigest> digest_file(const std::string& path, const PathStat& seen, std::uint64_t now_ns,
                                      FileSystemMemo& memo, Effort& effort);

// nullopt if the directory cannot be listed. REQUIRES: seen.is_directory()
std::optional<ListingDigests> digest_listing(const std::string& path, const PathStat& seen, std::uint64_t now_ns,
                                             FileSystemMemo& memo, Effort& effort);

}  // namespace hipcache::inputs

#endif
