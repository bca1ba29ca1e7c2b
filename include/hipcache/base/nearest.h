// Guesses which known name a misspelt one means.
#ifndef HIPCACHE_BASE_NEAREST_H
#define HIPCACHE_BASE_NEAREST_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache {

// The number of letters that were inserted, left out, replaced, or swapped with their neighbour.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The candidate with the least distance, the first of several; "" if none is near. A short name may
// have one mistake, a longer one up to three.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace hipcache

#endif
