// What `hipcache --show-stats` prints, made from the JSON that the daemon sends: for people, and for programs and
// people that expect ccache's or sccache's.
//
// Made from JSON instead of a Snapshot, so that a client can print the statistics of another
// version's daemon. Fields that the daemon does not send count as zero. An error if the text is not statistics.
#ifndef HIPCACHE_STATS_REPORT_H
#define HIPCACHE_STATS_REPORT_H

#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::stats {

// The fields of the statistics' JSON that are measured from the store, not counted.
struct StoreSize {
  std::uint64_t actions = 0;
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_on_disk = 0;
};

Result<StoreSize> store_size_from_json(std::string_view text);

// "512 B", "3.0 MB": in thousands, as HIPCACHE_MAX_SIZE is written.
std::string size_text(std::uint64_t bytes);

struct TextStyle {
  bool all = false;     // everything; else what fits on one screen
  bool colour = false;  // for a terminal: headings are bold, trouble is red
};

// Aligned lines with percentages; the last line ends with a newline. Times are local.
Result<std::string> to_text(std::string_view json, TextStyle style = {});

// The same in Markdown, for the summary of a CI job: tables of the requests, of the steps by
// architecture, of the shared caches, and of what was not cached and why. Ends with a newline. No
// text of a request or a server can leave its table cell or become markup.
Result<std::string> to_markdown(std::string_view json);

// For a link named ccache or sccache that leads to hipcache (docs/build-systems.md). Lines and fields have the other
// tool's names and meaning; what hipcache does not count is zero. A partial hit is a miss, because a compiler ran. The
// text goes on with what only hipcache has: the hit rate of steps, and the steps by architecture.

Result<std::string> as_ccache_text(std::string_view json, TextStyle style = {});

// Of ccache --print-stats: lines of a name, a tab and a number, or one object.
enum class CounterForm { tab, json };
Result<std::string> as_ccache_counters(std::string_view json, CounterForm form);

Result<std::string> as_sccache_text(std::string_view json, TextStyle style = {});

// Of sccache --show-stats --stats-format json. `version`: the one that it has.
Result<std::string> as_sccache_json(std::string_view json, std::string_view version);

}  // namespace hipcache::stats

#endif
