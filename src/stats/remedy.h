// What the user can do about a reason that the statistics count.
#ifndef HIPCACHE_SRC_STATS_REMEDY_H
#define HIPCACHE_SRC_STATS_REMEDY_H

#include <string_view>

namespace hipcache::stats {

// Empty if the reason's detail or docs/coverage.md says more.
inline std::string_view remedy_of(std::string_view reason) {
  if (reason == "clock") return "set SOURCE_DATE_EPOCH, or do without __DATE__ and __TIME__";
  if (reason == "native-target") return "name the architecture, as --offload-arch=gfx906";
  return "";
}

}  // namespace hipcache::stats

#endif
