// The bytes of the database's keys and values (docs/formats.md): action values in a checked frame, use records.
#ifndef HIPCACHE_STORE_FRAMING_H
#define HIPCACHE_STORE_FRAMING_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/digest.h"
#include "store/database.h"

namespace hipcache::store {

// The format of the database as a whole, in the meta table under kFormatKey. Raised with every change that an older or
// newer program would misread.
inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kFormat = "hipcache store 2";

// An action's value with its version and a digest over key and value: bytes that are damaged, of another version or
// under another's key do not come back.
std::string frame_action(const Digest& key, std::string_view value);
std::optional<std::string> unframe_action(const Digest& key, std::string frame);

// The use record of an action or blob: when it was last used and what its value is.
struct Use {
  static constexpr std::uint32_t kLargestSize = 0x7fff'ffff;  // the bit above says `has_bases`

  std::uint32_t seconds = 0;        // since the epoch
  std::uint32_t size : 31 = 0;      // bytes as stored
  std::uint32_t has_bases : 1 = 0;  // other blobs are needed to read it
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
