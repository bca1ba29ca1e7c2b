// The statistics for people: what `hipcache --show-stats` prints, made from the JSON that the daemon answers with.
//
// From JSON, not from a Snapshot: the client of another version's daemon still prints what both know, and zero for the
// rest.
#ifndef HIPCACHE_STATS_REPORT_H
#define HIPCACHE_STATS_REPORT_H

#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::stats {

// Aligned lines with percentages, the last one ended too. Times are local. An error if the text is not statistics.
Result<std::string> to_text(std::string_view json);

}  // namespace hipcache::stats

#endif
