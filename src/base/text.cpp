#include "hipcache/base/text.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "hipcache/base/roots.h"

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

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

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

namespace {

// What stands for a value in keys: a word between two control characters.
constexpr char kQuote = '\x01';
constexpr std::string_view kTemporaryDirectory = "<temporary directory>";

// The placeholder at the front of the text, with its quotes; "" if there is none.
std::string_view placeholder_in_front(std::string_view text) {
  if (!text.starts_with(kQuote)) return "";
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1);
  return end == text.npos || end == 1 || text[end] != kQuote ? "" : text.substr(0, end + 1);
}

std::string shown_for(std::string_view placeholder) {
  const std::string_view word = placeholder.substr(1, placeholder.size() - 2);
  return word == "dir" ? std::string(kTemporaryDirectory) : "<" + std::string(word) + ">";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

std::string escaped(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  const auto value = static_cast<unsigned char>(c);
  return {'\\', 'x', kDigits[value / 16], kDigits[value % 16]};
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + "'";
}

std::size_t size_of_control(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  if (is_control(text.front())) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;
  if (byte(0) != 0xE2) return 0;
  const bool is_mark = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xA8 && byte(2) <= 0xAE));
  return is_mark || (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) ? 3 : 0;
}

std::string readable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    if (const std::string_view mark = Roots::mark_in_front(text); !mark.empty()) {
      shown += "<" + Roots::name_of(mark) + ">";
      text.remove_prefix(mark.size() + 2);
      continue;
    }
    if (const std::string_view placeholder = placeholder_in_front(text); !placeholder.empty()) {
      shown += shown_for(placeholder);
      text.remove_prefix(placeholder.size());
    } else if (text.starts_with(kStoredTemporaryDirectory)) {
      shown += kTemporaryDirectory;
      text.remove_prefix(kStoredTemporaryDirectory.size());
    } else {
      const std::size_t size = size_of_control(text);
      for (std::size_t at = 0; at < size; ++at) shown += escaped(text[at]);
      if (size == 0) shown += text.front();
      text.remove_prefix(std::max<std::size_t>(size, 1));
    }
  }
  return shown;
}

}  // namespace hipcache
