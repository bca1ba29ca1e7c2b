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

// The place after "NAME=" or "NAME(x)=" at `at`; 0 if none begins there.
std::size_t end_of_name(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_of_name(text[end])) ++end;
  if (end == at) return 0;
  if (end < text.size() && text[end] == '(') end = std::min(text.find(')', end), text.size() - 1) + 1;
  return end < text.size() && text[end] == '=' ? end + 1 : 0;
}

using DefinitionAt = std::size_t(std::string_view text, std::size_t at);

// The length of "-DNAME=" at that place; 0 if none begins there.
std::size_t definition_at(std::string_view text, std::size_t at) {
  if (!begins_word(text, at)) return 0;
  for (const std::string_view option : kOptions) {
    if (text.substr(at, option.size()) != option) continue;
    std::size_t end = at + option.size();
    if (end < text.size() && (text[end] == ' ' || text[end] == '=')) ++end;
    if (const std::size_t value = end_of_name(text, end); value > 0) return value - at;
  }
  return 0;
}

// The same for "NAME=" as well.
std::size_t value_at(std::string_view text, std::size_t at) {
  if (const std::size_t length = definition_at(text, at); length > 0) return length;
  const bool begins = at == 0 || text[at - 1] == ' ';
  const std::size_t value = begins ? end_of_name(text, at) : 0;
  return value > 0 ? value - at : 0;
}

// A value may contain blanks, and the text does not tell where the argument ends. So it ends where an
// option seems to begin.
std::string without(DefinitionAt* begin, std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = begin(text, at);
    if (length == 0) {
      shown += text[at++];
      continue;
    }
    shown.append(text, at, length).append("...");
    at = std::min(text.find(" -", at + length), text.size());
  }
  return shown;
}

}  // namespace

std::string without_macro_values(std::string_view text) { return without(definition_at, text); }

std::string without_values(std::string_view arguments) { return without(value_at, arguments); }

}  // namespace hipcache::events
