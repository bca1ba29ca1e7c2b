// The statistics for programs and people that expect those of ccache or sccache, because a link of
// that name leads to hipcache (docs/build-systems.md).
//
// Lines and fields have the other tool's names and meaning; what hipcache does not count is zero. A
// partial hit is a miss, because a compiler ran. The text goes on with what only hipcache has: the
// hit rate of steps, and the steps by architecture. From the daemon's JSON, as in report.h.
#ifndef HIPCACHE_STATS_OTHER_TOOLS_H
#define HIPCACHE_STATS_OTHER_TOOLS_H

#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/stats/report.h"

namespace hipcache::stats {

Result<std::string> as_ccache_text(std::string_view json, TextStyle style = {});

// Of ccache --print-stats: lines of a name, a tab and a number, or one object.
enum class CounterForm { tab, json };
Result<std::string> as_ccache_counters(std::string_view json, CounterForm form);

Result<std::string> as_sccache_text(std::string_view json, TextStyle style = {});

// Of sccache --show-stats --stats-format json. `version`: the one that it has.
Result<std::string> as_sccache_json(std::string_view json, std::string_view version);

}  // namespace hipcache::stats

#endif
