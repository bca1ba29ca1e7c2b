// What a shared cache holds: lists of path sets, results and blobs, and their bytes in a plain store
// (docs/internals/formats.md).
//
// Problem: a server may lose the end of a value, flip a bit, answer with another key's value, or be written by somebody
// else. A list or a result that is wrong in one bit would be served as right.
// Choice: each value carries a digest over its kind, its key and its bytes. A blob needs none: its name is its digest.
// Rejected: zstd's checksum alone, which knows nothing of the key.
// Anybody can make such a digest. Who made a result is shown by its signature, if it has one (remote/trust).
//
// Pure functions. Decoding is bounded: a value never becomes larger than the limit that the caller gives.
#ifndef HIPCACHE_SRC_REMOTE_LAYOUT_VALUES_H
#define HIPCACHE_SRC_REMOTE_LAYOUT_VALUES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::remote {

// The names of values in a plain store (docs/internals/formats.md): "v1/b/ab/ab12...". Pure functions.

inline constexpr char kListTable = 'w';
inline constexpr char kResultTable = 'r';
inline constexpr char kBlobTable = 'b';

struct ValueName {
  char table = kListTable;
  Digest key;
};

std::string name_of_value(const ValueName& name);

// Nothing unless the text is exactly the name of a value.
std::optional<ValueName> parse_value_name(std::string_view text);

using protocol::RemoteBlob;
using protocol::RemotePathSet;
using List = std::vector<RemotePathSet>;  // newest first

// Of an ed25519 key, over what remote/trust/trust.h says. Nothing here checks it.
struct Signature {
  static constexpr std::size_t kKeySize = 32;
  static constexpr std::size_t kSize = 64;
  std::string key;    // the public one, kKeySize bytes
  std::string bytes;  // kSize of them
  bool operator==(const Signature&) const = default;
};

struct RemoteResult {
  std::string action;             // encoded cache::ActionResult
  std::vector<RemoteBlob> blobs;  // the small ones
  // Stays with the result, wherever it is copied to.
  std::optional<Signature> signature{};
  bool operator==(const RemoteResult&) const = default;
};

inline constexpr std::size_t kMaxSets = 8;             // of a list
inline constexpr std::size_t kMaxTags = 16;            // of a path set
inline constexpr std::uint64_t kListLimit = 8u << 20;  // decoded; a message to the daemon holds twice as much
inline constexpr std::uint64_t kResultLimit = 8u << 20;

// Blobs up to this size travel in the result, as long as all of them together do not exceed the second limit: so that a
// hit takes two round trips. Larger ones have a value of their own.
inline constexpr std::size_t kInlineBlob = 64u << 10;
inline constexpr std::size_t kInlineBlobs = 256u << 10;

// Puts the path set first. If the list has it already, the tags of both stay, the new ones first. False if nothing
// changed.
bool add_to(List& list, const RemotePathSet& set);

// Whether the list has that path set with all its tags.
bool has(const List& list, const RemotePathSet& set);

// Puts what only `other` has behind the list.
void append(List& list, const List& other);

// The list in `present` with the path sets put first; nothing if it has all of them. A damaged one counts as none.
std::optional<List> merged(const Digest& key, const std::optional<std::string>& present, const List& sets);

// One zstd frame. Empty without memory, which readers take for damaged.
std::string compressed(std::string_view bytes);

std::string encode_list(const Digest& key, const List& list);
std::string encode_result(const Digest& key, const RemoteResult& result);
std::string encode_blob(std::string_view bytes);
// The length of the longest value that a blob of that size has.
std::uint64_t most_of_blob(std::uint64_t size);

// Errors are ErrorCode::damaged, and say what is wrong.
Result<List> decode_list(const Digest& key, std::string_view value);
Result<RemoteResult> decode_result(const Digest& key, std::string_view value);
Result<std::string> decode_blob(const Digest& digest, std::string_view value, std::uint64_t limit);

// A publication as a shared cache keeps it: small blobs in the result, the others beside it.
struct Divided {
  RemoteResult result;
  std::vector<const RemoteBlob*> large;
  std::vector<Digest> names;  // of the large ones
};

// REQUIRES: `blobs` outlives the result.
Divided divide(const std::string& action, const std::vector<RemoteBlob>& blobs);

}  // namespace hipcache::remote

#endif
