#include "remote/objects/xml_text.h"

#include <algorithm>

namespace hipcache::remote {
namespace {

constexpr std::size_t kLongestCode = 64;

bool is_letter_or_digit(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
}

}  // namespace

std::string xml_text(std::string_view document, std::string_view name) {
  const std::string opening = "<" + std::string(name) + ">";
  const auto start = document.find(opening);
  if (start == std::string_view::npos) return "";
  document.remove_prefix(start + opening.size());
  const auto end = document.find('<');
  if (end == std::string_view::npos || !document.substr(end).starts_with("</" + std::string(name) + ">")) return "";
  const std::string_view text = document.substr(0, end);
  const bool is_plain =
      std::all_of(text.begin(), text.end(), [](char one) { return one > ' ' && one < '\x7f' && one != '&'; });
  return is_plain ? std::string(text) : "";
}

std::string shown_code(const std::string& text) {
  const bool is_code = text.size() <= kLongestCode && std::all_of(text.begin(), text.end(), is_letter_or_digit);
  return is_code ? text : "";
}

std::string error_code_of(std::string_view document) { return shown_code(xml_text(document, "Code")); }

}  // namespace hipcache::remote
