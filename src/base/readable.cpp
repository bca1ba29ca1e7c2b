#include "hipcache/base/readable.h"

#include <cstdint>
#include <string>

#include "hipcache/base/roots.h"

namespace hipcache {
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
      if (is_control(text.front())) {
        shown += escaped(text.front());
      } else {
        shown += text.front();
      }
      text.remove_prefix(1);
    }
  }
  return shown;
}

}  // namespace hipcache
