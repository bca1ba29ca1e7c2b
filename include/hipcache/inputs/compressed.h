// A zstd frame that says how long it unfolds to, for formats of many similar names. Unfolding is bounded by the caller
// and never allocates more than that, whatever the bytes claim.
#ifndef HIPCACHE_INPUTS_COMPRESSED_H
#define HIPCACHE_INPUTS_COMPRESSED_H

#include <cstddef>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::inputs {

std::string compressed(std::string_view raw);

// An error says what is wrong with "it", for the caller to say what it is.
Result<std::string> decompressed(std::string_view frame, std::size_t max_bytes);

}  // namespace hipcache::inputs

#endif
