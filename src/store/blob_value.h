// The bytes of a blob as the database holds them: plain, compressed, or compressed as a delta to other blobs, its bases
// (docs/internals/formats.md).
//
// A base serves as zstd's prefix, so shared bytes cost a reference of a few bytes, wherever they lie. An object that
// consists of a host object and a fatbin is little more than two references. Rejected: a list of byte ranges, found by
// search. It does not help for parts with small changes (the path sets of one unit's steps, its depfiles). Rejected:
// RocksDB's compression. It sees one value at a time, and does not shorten the write-ahead log.
//
// Thread-safe: nothing is shared.
#ifndef HIPCACHE_SRC_STORE_BLOB_VALUE_H
#define HIPCACHE_SRC_STORE_BLOB_VALUE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::store {

inline constexpr std::size_t kMostBases = 64;

// How deep bases may have bases. An object made from a fatbin of code objects has depth two; the limit guards against
// damaged values.
inline constexpr unsigned kDeepest = 4;

// Bytes: the most for the bases of one blob together, and for a blob with bases. Larger prefixes need too much memory
// for what they save.
inline constexpr std::size_t kLongestPrefix = std::size_t{64} << 20;

// `soon`: packed by a level that is three times as fast and makes a tenth more bytes.
enum class Packing { well, soon };

// pack: the value of these bytes, without bases. pack_delta: their value with `bases`; `prefix` is the bases' own
// bytes, concatenated. `name` is the blob's digest. REQUIRES: at most kMostBases, prefix.size() <= kLongestPrefix.
std::string pack(const Digest& name, std::string_view bytes, Packing packing = Packing::well);
std::string pack_delta(const Digest& name, std::string_view bytes, const std::vector<Digest>& bases,
                       std::string_view prefix);

// A parsed value. `payload` points into the value's bytes.
struct BlobValue {
  std::vector<Digest> bases;
  bool compressed = false;
  std::uint64_t seed = 0;      // of the checksum
  std::uint64_t checksum = 0;  // of the blob's bytes
  std::string_view payload;
};

// nullopt if the value is damaged or of another version. `name` is the digest that the value is stored under.
std::optional<BlobValue> parse_value(const Digest& name, std::string_view value);

// The blob's bytes. nullopt if they are not those that were packed under this name (by their checksum): the value is
// damaged, another one's, or was not made with this prefix.
std::optional<std::string> unpack(const BlobValue& value, std::string_view prefix);

// The same for a value without bases, piece by piece. False if the value is damaged, which may show only
// at the end, or `take` returns false.
bool unpack_pieces(const BlobValue& value, const std::function<bool(std::string_view)>& take);

}  // namespace hipcache::store

#endif
