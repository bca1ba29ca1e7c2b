#include "hipcache/base/readable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "hipcache/base/roots.h"

namespace hipcache {
namespace {

struct Placeholder {
  std::string_view token;
  std::string_view shown;
};

constexpr std::array kPlaceholders{
    Placeholder{std::string_view("\x01"
                                 "dir"
                                 "\x01"),
                "<temporary directory>"},
    Placeholder{kStoredTemporaryDirectory, "<temporary directory>"},
};

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
    const auto placeholder = std::find_if(kPlaceholders.begin(), kPlaceholders.end(),
                                          [&](const Placeholder& each) { return text.starts_with(each.token); });
    if (placeholder != kPlaceholders.end()) {
      shown += placeholder->shown;
      text.remove_prefix(placeholder->token.size());
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
