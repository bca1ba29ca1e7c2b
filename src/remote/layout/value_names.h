// The names of values in a plain store (docs/internals/formats.md): "v1/b/ab/ab12...". Pure functions.
#ifndef HIPCACHE_SRC_REMOTE_LAYOUT_VALUE_NAMES_H
#define HIPCACHE_SRC_REMOTE_LAYOUT_VALUE_NAMES_H

#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/digest.h"

namespace hipcache::remote {

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

}  // namespace hipcache::remote

#endif
