// The bytes of the database's keys and values (docs/internals/formats.md): actions in a checked frame, lists of path
// sets, and use records. Blobs have a file of their own (blob_value.h).
#ifndef HIPCACHE_SRC_STORE_FRAMING_H
#define HIPCACHE_SRC_STORE_FRAMING_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/store/store.h"
#include "store/database.h"

namespace hipcache::store {

// The format of the whole database, in the meta table under kFormatKey. Must be raised with every change that another
// version of the program would misread.
inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kFormat = "hipcache store 3";

// An action's value with its version and a checksum over key and value. unframe_action returns nullopt for bytes that
// are damaged, of another version or stored under another key.
std::string frame_action(const Digest& key, std::string_view value);
std::optional<std::string> unframe_action(const Digest& key, std::string frame);

// The list of path sets of one action key, and its bytes (docs/internals/formats.md); the set that was added last is
// first.
class PathSetList {
 public:
  const std::vector<PathSetReference>& sets() const& { return sets_; }
  std::vector<PathSetReference> sets() && { return std::move(sets_); }

  // Puts the set first and drops sets past kMaxPathSets. False if nothing changed.
  bool move_to_front(const PathSetReference& set);

  std::string encode() const;
  static Result<PathSetList> decode(std::string_view bytes);

 private:
  std::vector<PathSetReference> sets_;
};

// The use record of an action or blob: when it was last used, and how its value is stored.
struct Use {
  static constexpr std::uint32_t kLargestSize = 0x7fff'ffff;  // the bit above is `has_bases`

  std::uint32_t seconds = 0;        // since the epoch
  std::uint32_t size : 31 = 0;      // bytes as stored
  std::uint32_t has_bases : 1 = 0;  // reading it needs other blobs
};

struct UseKey {
  Table table = Table::actions;  // or blobs
  Digest digest;
};

std::string encode_use_key(const UseKey& key);
std::optional<UseKey> decode_use_key(std::string_view bytes);
std::string encode_use(const Use& use);
std::optional<Use> decode_use(std::string_view bytes);

}  // namespace hipcache::store

#endif
