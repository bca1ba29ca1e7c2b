// The statistics for people: the output of `hipcache --show-stats` as text and as Markdown, made
// from the JSON that the daemon sends.
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

// The same in Markdown, for the summary of a CI job: tables of the requests, of the steps by
// architecture, of the shared caches, and of what was not cached and why. Ends with a newline. No
// text of a request or a server can leave its table cell or become markup.
Result<std::string> to_markdown(std::string_view json);

}  // namespace hipcache::stats

#endif
