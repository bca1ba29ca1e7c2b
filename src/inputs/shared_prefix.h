// How many characters two names begin with in common.
#ifndef HIPCACHE_SRC_INPUTS_SHARED_PREFIX_H
#define HIPCACHE_SRC_INPUTS_SHARED_PREFIX_H

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace hipcache::inputs {

inline std::size_t shared_prefix(std::string_view left, std::string_view right) {
  return static_cast<std::size_t>(std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first -
                                  left.begin());
}

}  // namespace hipcache::inputs

#endif
