#include "inputs/mentions/own_name_macros.h"

#include <algorithm>
#include <array>

namespace hipcache::inputs {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";
constexpr std::string_view kDefine = "define";
constexpr std::string_view kFile = "__FILE__";
constexpr std::array<std::string_view, 3> kPasting = {"##", "%:%:", "\?\?="};
// Each asks for more than the name of a macro's user: wherever it stands, a generated file may be named.
constexpr std::array<std::string_view, 3> kUnclear = {"__BASE_FILE__", "__builtin_FILE", "source_location"};

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Also in words beyond ASCII.
bool is_of_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_' ||
         byte == '$' || byte >= 0x80;
}

// The next word from there on; empty at the end.
std::string_view next_word(std::string_view text, std::size_t& at) {
  while (at < text.size() && !is_of_word(text[at])) ++at;
  const std::size_t begin = at;
  while (at < text.size() && is_of_word(text[at])) ++at;
  return text.substr(begin, at - begin);
}

// The text with continued lines joined, which may split a word.
std::string joined(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    const std::size_t last = line.find_last_not_of(kBlanks);
    if (last != line.npos && line[last] == '\\')
      lines += line.substr(0, last);
    else
      (lines += line) += '\n';
  }
  return lines;
}

// Behind "define": a comment before the name, or one that goes on in the next line; a name that can be written in two
// ways.
bool hides_a_definition(std::string_view behind, std::string_view name) {
  const std::size_t comment = behind.rfind("/*");
  return behind.starts_with("/*") || behind.starts_with('\\') ||
         (comment != behind.npos && !has(behind.substr(comment), "*/")) ||
         std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

void OwnNameMacros::add(std::string_view text, bool is_installed) {
  const auto is_in_text = [&](std::string_view word) { return has(text, word); };
  // A zero byte: a precompiled header, which has its macros in another form. "??/" joins lines, too.
  if (!is_installed)
    is_unclear_ = is_unclear_ || std::any_of(kUnclear.begin(), kUnclear.end(), is_in_text) ||
                  text.find('\0') != text.npos || has(text, "\?\?/");
  // A backslash may join the parts of the word.
  if (is_unclear_ || (!has(text, kDefine) && !has(text, "\\"))) return;
  std::string_view rest = texts_.emplace_back(joined(text));
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    add_line(rest.substr(0, end), is_installed);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
}

// Wherever a line says "define": a comment may stand before the directive, with that word in it.
void OwnNameMacros::add_line(std::string_view line, bool is_installed) {
  for (std::size_t at = line.find(kDefine); at != line.npos; at = line.find(kDefine, at)) {
    at += kDefine.size();
    const std::string_view behind = line.substr(at);
    const std::size_t name_at = behind.find_first_not_of(kBlanks);
    if (name_at == behind.npos || (name_at == 0 && !behind.starts_with("/*"))) continue;
    std::size_t place = name_at;
    Definition definition{is_of_word(behind[name_at]) ? next_word(behind, place) : "", {}};
    const std::string_view body = behind.substr(place);
    if (!is_installed && hides_a_definition(behind.substr(name_at), definition.name)) is_unclear_ = true;
    if (definition.name.empty()) continue;
    const auto is_in_body = [&](std::string_view word) { return has(body, word); };
    if (!is_installed && std::any_of(kPasting.begin(), kPasting.end(), is_in_body)) asking_.insert(definition.name);
    place = 0;
    for (std::string_view word = next_word(body, place); !word.empty(); word = next_word(body, place))
      if (!is_installed || word != kFile) definition.words.push_back(word);
    definitions_.push_back(std::move(definition));
  }
}

bool OwnNameMacros::asks(const Definition& definition) const {
  return std::any_of(definition.words.begin(), definition.words.end(),
                     [&](std::string_view word) { return word == kFile || asking_.contains(word); });
}

bool OwnNameMacros::is_unclear(std::string_view argument) const {
  return has(argument, kFile) || has(argument, "##") || argument.starts_with('@') || argument.starts_with("--config") ||
         may_be_used_in(argument);
}

void OwnNameMacros::close(const std::vector<std::string>& arguments) {
  for (bool grows = true; grows;) {
    grows = false;
    for (const Definition& definition : definitions_)
      if (!asking_.contains(definition.name) && asks(definition)) grows = asking_.insert(definition.name).second;
  }
  definitions_.clear();
  is_unclear_ = is_unclear_ || arguments.empty() ||
                std::any_of(arguments.begin(), arguments.end(), [&](const auto& one) { return is_unclear(one); });
}

bool OwnNameMacros::may_be_used_in(std::string_view text) const {
  if (is_unclear_) return true;
  const std::string lines = joined(text);
  std::size_t at = 0;
  for (std::string_view word = next_word(lines, at); !word.empty(); word = next_word(lines, at))
    if (asking_.contains(word)) return true;
  return false;
}

}  // namespace hipcache::inputs
