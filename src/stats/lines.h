// Aligned lines of a name, a number and a remark.
#ifndef HIPCACHE_SRC_STATS_LINES_H
#define HIPCACHE_SRC_STATS_LINES_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/stats/report.h"

namespace hipcache::stats {

// How a line stands out on a terminal.
// `good`: the cache did its work. `doubtful`: worth a look. `trouble`: something is wrong.
enum class Tone : std::uint8_t { plain, heading, good, doubtful, trouble };

class Lines {
 public:
  void add(std::string name, std::string value, std::string remark = "", Tone tone = Tone::plain) {
    width_ = std::max(width_, name.size());
    lines_.push_back({std::move(name), std::move(value), std::move(remark), tone});
  }
  void count(std::string name, std::uint64_t value, std::string remark = "", Tone tone = Tone::plain) {
    add(std::move(name), std::to_string(value), std::move(remark), tone);
  }
  void title(std::string name) { add(std::move(name), "", "", Tone::heading); }

  // Names are padded to the longest one. Each line ends with a newline.
  std::string text(bool colour) const;

 private:
  struct Line {
    std::string name, value, remark;
    Tone tone = Tone::plain;
  };
  std::vector<Line> lines_;
  std::size_t width_ = 0;
};

// The tone if there is any.
inline Tone tone_if(std::uint64_t count, Tone tone) { return count == 0 ? Tone::plain : tone; }

}  // namespace hipcache::stats

#endif
