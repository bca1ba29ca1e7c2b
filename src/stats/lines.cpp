#include "stats/lines.h"

#include <fmt/format.h>

namespace hipcache::stats {
namespace {

constexpr const char* kPlain = "\x1b[0m";

const char* begin_of(Tone tone) {
  switch (tone) {
    case Tone::heading:
      return "\x1b[1m";
    case Tone::good:
      return "\x1b[32m";
    case Tone::doubtful:
      return "\x1b[33m";
    case Tone::trouble:
      return "\x1b[31m";
    case Tone::plain:
      break;
  }
  return "";
}

}  // namespace

std::string Lines::text(bool colour) const {
  std::string text;
  for (const Line& line : lines_) {
    std::string row = fmt::format("{:<{}} {:>10} {}", line.name, width_ + 2, line.value, line.remark);
    row.erase(row.find_last_not_of(' ') + 1);
    const bool is_toned = colour && line.tone != Tone::plain;
    text.append(is_toned ? begin_of(line.tone) : "").append(row).append(is_toned ? kPlain : "").append("\n");
  }
  return text;
}

}  // namespace hipcache::stats
