// The bytes of a blob as they stand in the database: themselves, compressed, or compressed as what they do not share
// with other blobs, their bases (docs/formats.md).
//
// A base stands before the bytes as zstd's prefix, so what they share is a reference of some bytes, wherever it lies:
// an object made of a host object and a fatbin is little more than two references. Rejected: a recipe of ranges, found
// by search, which knows nothing of parts that were changed a little (the path sets of one unit's steps, its depfiles),
// and RocksDB's compression, which sees one value at a time and leaves its write-ahead log as long as the values.
// Thread-safe: nothing is shared.
#ifndef HIPCACHE_STORE_BLOB_VALUE_H
#define HIPCACHE_STORE_BLOB_VALUE_H

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

// In bytes, of the bases of one blob and of a blob with bases. Beyond that they are held in memory for too little gain.
inline constexpr std::size_t kLongestPrefix = std::size_t{64} << 20;

// The value of these bytes without bases; of these bytes with these bases, whose own bytes, one after the other, are
// `prefix`. REQUIRES: at most kMostBases, prefix.size() <= kLongestPrefix.
std::string pack(std::string_view bytes);
std::string pack_delta(std::string_view bytes, const std::vector<Digest>& bases, std::string_view prefix);

// A value taken apart. The view is of the value's bytes.
struct BlobValue {
  std::vector<Digest> bases;
  bool compressed = false;
  std::string_view payload;
};

// Nothing if it is damaged or of another version.
std::optional<BlobValue> parse_value(std::string_view value);

// The bytes. Nothing if it is damaged, or not made with this prefix, or claims more than a blob may have.
std::optional<std::string> unpack(const BlobValue& value, std::string_view prefix);

// The same of a value without bases, piece by piece. False if it is damaged, or `take` returns false.
bool unpack_pieces(const BlobValue& value, const std::function<bool(std::string_view)>& take);

}  // namespace hipcache::store

#endif
