// What several folders do with text.
#ifndef HIPCACHE_BASE_TEXT_H
#define HIPCACHE_BASE_TEXT_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache {

// What a line of a file that people write begins and ends with, beside what it says.
inline constexpr std::string_view kBlanks = " \t\r";

inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// No program can be given such arguments.
inline bool has_null(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](std::string_view word) { return word.find('\0') != word.npos; });
}

}  // namespace hipcache

#endif
