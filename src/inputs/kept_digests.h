// Digests of files as bytes, for the next daemon: so that its first hit does not read the whole compiler again.
//
// A digest holds for a stamp (stamp.h), and a stamp is believed by the next process as it is by this one, with two
// limits. What was learned in another boot, or seen from another mount namespace, is dropped: after a crash the journal
// may have brought back a file's times and not its content, and device numbers are given out anew. A ctime of whole
// seconds is kept for the root directory's file system alone: images (squashfs, erofs) make it up, so two of them that
// are mounted in turn can agree in all of a stamp; the root stays mounted for as long as its namespace lives.
//
// Bytes that were cut off or damaged are dropped as a whole: their last 16 are the digest of the rest. docs/formats.md
// has the format.
#ifndef HIPCACHE_INPUTS_KEPT_DIGESTS_H
#define HIPCACHE_INPUTS_KEPT_DIGESTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/memory.h"

namespace hipcache::inputs {

// 1.3 MB; the largest files stay, as they take the longest to read.
inline constexpr std::size_t kMostKeptDigests = 20'000;

// `origin`: the boot and the view in which they were learned; `root_device`: of that view's root directory.
std::string encode_digests(std::vector<KnownFile> known, std::string_view origin, std::uint64_t root_device);

// Nothing for bytes that encode_digests did not make, or made for another origin.
std::optional<std::vector<KnownFile>> decode_digests(std::string_view bytes, std::string_view origin);

}  // namespace hipcache::inputs

#endif
