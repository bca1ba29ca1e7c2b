#include "hipcache/cache/remote_places.h"

#include <algorithm>

#include "hipcache/base/roots.h"

namespace hipcache::cache {
namespace {

bool has_parent_component(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return false;
}

}  // namespace

bool is_place_of_request(std::string_view place) {
  if (has_parent_component(place) || place.starts_with('/')) return false;
  return !Roots::mark_in_front(place).starts_with(kToolchainMark);
}

bool names_only_places_of_request(const ActionResult& result) {
  return std::all_of(result.outputs.begin(), result.outputs.end(),
                     [](const Output& output) { return is_place_of_request(output.place); });
}

}  // namespace hipcache::cache
