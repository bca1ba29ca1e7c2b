#include "cli/doctor/findings.h"

#include <algorithm>

namespace hipcache::cli {
namespace {

std::string name_of(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "error";
}

}  // namespace

void Findings::add(Level level, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  all_.push_back({level, std::move(text)});
}

bool Findings::has_error() const { return count(Level::error) > 0; }

std::size_t Findings::count(Level level) const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [&](const Finding& finding) { return finding.level == level; }));
}

std::string to_line(const Finding& finding) {
  constexpr std::size_t kWidth = 9;
  std::string line = name_of(finding.level);
  line.resize(kWidth, ' ');
  return line + finding.text + "\n";
}

}  // namespace hipcache::cli
