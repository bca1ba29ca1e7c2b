// Digests of files as bytes, for the next daemon. Its first hit then need not read the whole compiler again.
//
// A digest holds for a stamp (stamp.h). The next process trusts a stamp as this one does, with one limit: digests
// from another boot or another mount namespace are dropped. After a crash, the journal may restore a file's times but
// not its content. Device numbers and mounts are numbered anew.
//
// The last 16 bytes are the digest of the rest. Truncated or damaged bytes are dropped as a whole.
// docs/internals/formats.md has the format.
#ifndef HIPCACHE_SRC_INPUTS_STATE_KEPT_DIGESTS_H
#define HIPCACHE_SRC_INPUTS_STATE_KEPT_DIGESTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/state/stamp.h"

namespace hipcache::inputs {

// About 1.3 MB. The largest files stay, because they take the longest to read.
inline constexpr std::size_t kMostKeptDigests = 20'000;

// `origin`: the boot and the mount view in which the digests were learned.
std::string encode_digests(std::vector<KnownFile> known, std::string_view origin);

// nullopt for bytes that encode_digests did not make, or made for another origin.
std::optional<std::vector<KnownFile>> decode_digests(std::string_view bytes, std::string_view origin);

}  // namespace hipcache::inputs

#endif
