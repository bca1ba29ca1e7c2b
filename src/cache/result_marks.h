// What is known of a stored result beside the result itself: that it was found wrong, or where it came from.
//
// A wrong result is replaced by a mark, and not removed: a removed one would come back from the next shared cache or
// seed. Whatever run makes the result again replaces the mark. The origin of a result of a shared cache is a value of
// its own. It holds the digest of that result, so it says nothing about a later one under the same key.
#ifndef HIPCACHE_SRC_CACHE_RESULT_MARKS_H
#define HIPCACHE_SRC_CACHE_RESULT_MARKS_H

#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/digest.h"

namespace hipcache::cache {

// The value that stands in the place of a wrong result. No ActionResult has this form.
std::string dropped_mark();
bool is_dropped_mark(std::string_view value);

// Whether a result that came from elsewhere may take the place of `present` (store::MayReplace).
inline bool is_not_dropped(const std::optional<std::string>& present) { return !present || !is_dropped_mark(*present); }

// The key of the origin of the result under `result_key`.
Digest origin_key(const Digest& result_key);

// `result`: the result as shared caches have it (encode_shared). `tier`: the shared cache, without secrets.
std::string encode_origin(std::string_view result, std::string_view tier);

// The tier in `origin`; "" if it is damaged, or if it is that of another result.
std::string tier_of(std::string_view origin, std::string_view result);

}  // namespace hipcache::cache

#endif
