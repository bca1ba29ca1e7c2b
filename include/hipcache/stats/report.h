// The statistics for people: the output of `hipcache --show-stats`, made from the JSON that the
// daemon sends.
//
// Made from JSON instead of a Snapshot, so that a client can print the statistics of another
// version's daemon. Fields that the daemon does not send count as zero.
#ifndef HIPCACHE_STATS_REPORT_H
#define HIPCACHE_STATS_REPORT_H

#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::stats {

// Aligned lines with percentages; the last line ends with a newline. Times are local. An error if
// the text is not statistics.
Result<std::string> to_text(std::string_view json);

}  // namespace hipcache::stats

#endif
