#include "base/log_limit.h"

#include <algorithm>
#include <utility>

namespace hipcache {
namespace {

std::string more_like(std::string_view line, std::uint64_t count) {
  return std::to_string(count) + " more of: " + std::string(line);
}

}  // namespace

std::vector<std::string> LogLimit::admit(std::string_view line, Time now) {
  if (now - window_ >= kWindow) {
    window_ = now;
    lines_ = 0;
  }
  const auto known = seen_.find(line);
  if (known != seen_.end() && now - known->second.written < kWindow) {
    ++known->second.left_out;
    return {};
  }
  if (lines_ >= kLinesInAWindow) {
    ++left_out_;
    return {};
  }
  ++lines_;
  std::vector<std::string> written;
  if (const std::uint64_t count = std::exchange(left_out_, 0); count != 0)
    written.push_back(std::to_string(count) + " more lines were left out");
  if (known == seen_.end()) {
    if (seen_.size() >= kRemembered) forget_oldest();
    seen_.emplace(line, Seen{.written = now});
  } else {
    if (known->second.left_out != 0) written.push_back(more_like(line, known->second.left_out));
    known->second = {.written = now};
  }
  written.emplace_back(line);
  return written;
}

std::vector<std::string> LogLimit::rest() {
  std::vector<std::string> written;
  for (const auto& [line, seen] : seen_)
    if (seen.left_out != 0) written.push_back(more_like(line, seen.left_out));
  if (left_out_ != 0) written.push_back(std::to_string(left_out_) + " more lines were left out");
  return written;
}

void LogLimit::forget_oldest() {
  const auto oldest = std::min_element(seen_.begin(), seen_.end(), [](const auto& left, const auto& right) {
    return left.second.written < right.second.written;
  });
  left_out_ += oldest->second.left_out;
  seen_.erase(oldest);
}

}  // namespace hipcache
