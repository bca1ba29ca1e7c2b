// Takes the values of macros out of texts. A user may hand a secret to a compile as -DTOKEN=...
#include <algorithm>
#include <array>
#include <cctype>

#include "hipcache/events/event.h"

namespace hipcache::events {
namespace {

constexpr std::array<std::string_view, 2> kOptions{"--define-macro", "-D"};

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" ,=\"'\n\t").find(text[at - 1]) != std::string_view::npos;
}

bool is_of_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// The length of "-DNAME=" at that place, with the parameters of a macro; 0 if none begins there.
std::size_t definition_at(std::string_view text, std::size_t at) {
  if (!begins_word(text, at)) return 0;
  for (const std::string_view option : kOptions) {
    if (text.substr(at, option.size()) != option) continue;
    std::size_t end = at + option.size();
    if (end < text.size() && (text[end] == ' ' || text[end] == '=')) ++end;
    const std::size_t name = end;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end == name) continue;
    if (end < text.size() && text[end] == '(') end = std::min(text.find(')', end), text.size() - 1) + 1;
    if (end < text.size() && text[end] == '=') return end + 1 - at;
  }
  return 0;
}

}  // namespace

// A value may contain blanks, and the text does not tell where the argument ends. So it ends where an
// option seems to begin.
std::string without_macro_values(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = definition_at(text, at);
    if (length == 0) {
      shown += text[at++];
      continue;
    }
    shown.append(text, at, length).append("...");
    at = std::min(text.find(" -", at + length), text.size());
  }
  return shown;
}

}  // namespace hipcache::events
