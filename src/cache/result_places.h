// The keys under which our own store keeps a result: hipcache/cache/trust.h says why there are several.
#ifndef HIPCACHE_SRC_CACHE_RESULT_PLACES_H
#define HIPCACHE_SRC_CACHE_RESULT_PLACES_H

#include <optional>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/cache/trust.h"

namespace hipcache::cache {

// Nothing: every result counts.
using Trusted = std::optional<Trust>;

// Where this daemon puts the result that shared caches have under `result_key`.
Digest stored_under(const Trusted& trust, const Digest& result_key);

// Where it looks, in this order. The first is stored_under().
std::vector<Digest> found_under(const Trusted& trust, const Digest& result_key);

// Where daemons with the same trusted keys look, whether they sign or not.
std::vector<Digest> known_under(const Trusted& trust, const Digest& result_key);

// Whether results of other stores of this machine count. They do not say how they came there.
bool reads_other_stores(const Trusted& trust);

}  // namespace hipcache::cache

#endif
