#include "hipcache/base/nearest.h"

#include <algorithm>
#include <utility>

namespace hipcache {
namespace {

constexpr std::size_t kLongestName = 64;  // a longer name is no mistyped one; bounds the table

std::size_t allowed_mistakes(std::string_view name) {
  constexpr std::size_t kShort = 5;
  constexpr std::size_t kLong = 9;
  if (name.size() <= kShort) return 1;
  return name.size() <= kLong ? 2 : 3;
}

}  // namespace

// Three rows of the usual table: the present one, and two before it for swapped letters.
std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before(other.size() + 1);
  std::vector<std::size_t> last(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t column = 0; column <= other.size(); ++column) last[column] = column;
  for (std::size_t line = 1; line <= one.size(); ++line) {
    row[0] = line;
    for (std::size_t column = 1; column <= other.size(); ++column) {
      const std::size_t replaced = last[column - 1] + (one[line - 1] == other[column - 1] ? 0 : 1);
      row[column] = std::min({last[column] + 1, row[column - 1] + 1, replaced});
      const bool swapped =
          line > 1 && column > 1 && one[line - 1] == other[column - 2] && one[line - 2] == other[column - 1];
      if (swapped) row[column] = std::min(row[column], before[column - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[other.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kLongestName) return "";
  std::string found;
  std::size_t least = allowed_mistakes(name) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= least) continue;
    least = distance;
    found = candidate;
  }
  return found;
}

}  // namespace hipcache
