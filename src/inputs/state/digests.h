// Digests of files and of directory listings. A digest comes from memory if the stamp is known. Otherwise the file or
// directory is read, and its digest is remembered if every later change will show in the stamp.
#ifndef HIPCACHE_SRC_INPUTS_STATE_DIGESTS_H
#define HIPCACHE_SRC_INPUTS_STATE_DIGESTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/file_clock.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/state/mounts.h"
#include "inputs/state/stamp.h"

namespace hipcache::inputs {

// Digests of files as bytes, for the next daemon. Its first hit then need not read the whole compiler again.
//
// A digest holds for a stamp (stamp.h). The next process trusts a stamp as this one does, with one limit: digests
// from another boot or another mount namespace are dropped. After a crash, the journal may restore a file's times but
// not its content. Device numbers and mounts are numbered anew.
//
// The last 16 bytes are the digest of the rest. Truncated or damaged bytes are dropped as a whole.
// docs/internals/formats.md has the format.

// About 1.3 MB. The largest files stay, because they take the longest to read.
inline constexpr std::size_t kMostKeptDigests = 20'000;

// `origin`: the boot and the mount view in which the digests were learned.
std::string encode_digests(std::vector<KnownFile> known, std::string_view origin);

// nullopt for bytes that encode_digests did not make, or made for another origin.
std::optional<std::vector<KnownFile>> decode_digests(std::string_view bytes, std::string_view origin);

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
