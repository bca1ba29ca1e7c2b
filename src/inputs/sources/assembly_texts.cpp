#include "inputs/sources/assembly_texts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::inputs {

namespace {

using namespace std::string_view_literals;

bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_space) - text.begin()));
  return text;
}

std::string_view word_at_end(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_of_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Whether another literal may follow one that is closed before `rest`: by a macro or a directive, or in the file that
// includes this one, too.
bool may_go_on(std::string_view rest) {
  rest = without_spaces(rest);
  return rest.empty() || is_of_word(rest[0]) || "\"/\\#?"sv.find(rest[0]) != ""sv.npos;
}

// Takes an escape without its backslash: what it stands for; none for one of another kind.
std::optional<char> take_escaped(std::string_view& rest) {
  constexpr std::string_view kEscapes = "n\nt\tr\rv\vf\fa\ab\b\\\\\"\"''";
  constexpr std::size_t kLongestOctal = 3;
  unsigned octal = 0;
  std::size_t digits = 0;
  for (; digits < std::min(kLongestOctal, rest.size()) && rest[digits] >= '0' && rest[digits] <= '7'; ++digits)
    octal = octal * 8 + static_cast<unsigned>(rest[digits] - '0');
  if (digits > 0) {
    rest.remove_prefix(digits);
    return static_cast<char>(octal);
  }
  for (std::size_t at = 0; !rest.empty() && at + 1 < kEscapes.size(); at += 2) {
    if (kEscapes[at] != rest[0]) continue;
    rest.remove_prefix(1);
    return kEscapes[at + 1];
  }
  return std::nullopt;
}

// `rest`: behind a quote. clang writes "$0" for "%0" and "$$" for "$", and marks the choices of "{a|b}".
bool may_begin(std::string_view rest, std::string_view text) {
  while (!text.empty()) {
    if (rest.empty()) return false;
    const char c = rest[0];
    if (c == '"') return may_go_on(rest.substr(1));
    if (text[0] == '$' || (c == '%' && text[0] == c) || rest.starts_with("??")) return true;
    rest.remove_prefix(1);
    if (c == '\\' && rest.starts_with('\n')) {  // the line goes on
      rest.remove_prefix(1);
      continue;
    }
    const std::optional<char> meant = c == '\\' ? take_escaped(rest) : c;
    if (!meant) return true;
    if (*meant != text[0]) return false;
    text.remove_prefix(1);
  }
  return true;
}

// `rest`: behind the quote of a raw literal. Its first character decides.
bool may_begin_raw(std::string_view rest, std::string_view text) {
  constexpr std::size_t kLongestDelimiter = 16;
  const std::size_t open = rest.find_first_of("() \t\n\v\f\r\\");
  if (open > kLongestDelimiter || open + 1 >= rest.size() || rest[open] != '(') return false;
  const char c = rest[open + 1];
  return text[0] == '$' || c == ')' || c == text[0];
}

// "operator""s": the name of a function.
bool is_operator(std::string_view before, std::string_view rest) {
  before = before.substr(0, before.find_last_not_of(kBlanks) + 1);
  return rest.starts_with('"') && word_at_end(before) == "operator";
}

// Whether what follows belongs to the definition of a macro. Behind a quote or the end of a comment nobody knows.
bool is_in_definition(std::string_view before) {
  std::size_t begin = before.rfind('\n');
  while (begin != before.npos && begin > 0 && before[begin - 1] == '\\') begin = before.rfind('\n', begin - 1);
  std::string_view line = trimmed(before.substr(begin == before.npos ? 0 : begin + 1));
  if (!line.starts_with('#') || line.find('"') != line.npos || line.find("*/") != line.npos) return false;
  return trimmed(line.substr(1)).starts_with("define");
}

// Whether what follows the word "asm" may be another thing than a literal. A word that is no macro follows it in prose.
bool may_compute(std::string_view rest, const SourceUse& use) {
  constexpr std::array kQualifiers = {"volatile"sv, "__volatile"sv, "__volatile__"sv, "inline"sv,
                                      "__inline"sv, "__inline__"sv, "goto"sv};
  const auto may_be_macro = [&](std::string_view word) {
    return word.starts_with('_') || use.reach().has_macro_among({name64(word)});
  };
  const auto word_at = [](std::string_view text) {
    return text.substr(0,
                       static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_of_word) - text.begin()));
  };
  rest = without_spaces(rest);
  for (std::string_view word = word_at(rest); !word.empty(); word = word_at(rest)) {
    if (!holds(kQualifiers, word)) return may_be_macro(word);
    rest = without_spaces(rest.substr(word.size()));
  }
  if (!rest.starts_with('(')) return rest.empty() || "/\\#?"sv.find(rest[0]) != ""sv.npos;
  rest = without_spaces(rest.substr(1));
  if (rest.empty()) return true;
  return is_of_word(rest[0]) ? may_be_macro(word_at(rest)) : "(/\\#?"sv.find(rest[0]) != ""sv.npos;
}

constexpr std::array kAssembly = {"asm"sv, "__asm"sv, "__asm__"sv};

bool may_compute_assembly(std::string_view source, const SourceNames& names, const SourceUse& use) {
  const bool has_any = std::any_of(kAssembly.begin(), kAssembly.end(), [&](std::string_view word) {
    return std::binary_search(names.live.begin(), names.live.end(), name64(word));
  });
  if (!has_any) return false;
  constexpr std::string_view kWord = "asm";
  for (auto at = source.find(kWord); at != source.npos; at = source.find(kWord, at + 1)) {
    std::size_t end = at + kWord.size();
    while (end < source.size() && is_of_word(source[end])) ++end;
    if (holds(kAssembly, word_at_end(source.substr(0, end))) && may_compute(source.substr(end), use)) return true;
  }
  return false;
}

bool may_have(const ReadFile& file, const SourceUse& use, const std::vector<std::string>& texts, FileSystemMemo& memo) {
  const SourceNames& names = *use.sources()[file.source].names;
  if (!names.is_known()) return true;
  Hasher hasher("assembly");
  hasher.field(file.content);
  for (const std::string& text : texts) hasher.field(text);
  const Digest key = hasher.finish();
  const auto known = memo.texts.find(key);
  if (known && known->named == 0) return false;
  const Result<std::string> bytes = read_file(file.path, kLargestText);
  if (!bytes || digest_of(*bytes) != file.content) return true;
  const bool begins =
      std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return may_begin_literal(*bytes, text); });
  // What computes assembly depends on the macros of other files, so it is looked for each time where the word is.
  const bool computes = may_compute_assembly(*bytes, names, use);
  const bool names_assembly = bytes->find("asm") != bytes->npos;
  if (!begins && !names_assembly) memo.texts.insert(key, {});
  return begins || computes;
}

}  // namespace

bool may_begin_literal(std::string_view source, std::string_view text) {
  if (text.empty()) return true;
  for (auto at = source.find('"'); at != source.npos; at = source.find('"', at + 1)) {
    const std::string_view rest = source.substr(at + 1);
    if (at > 0 && source[at - 1] == 'R' && may_begin_raw(rest, text)) return true;
    const std::string_view before = source.substr(0, at);
    if (may_begin(rest, text) && !is_operator(before, rest) && !is_in_definition(before)) return true;
  }
  return false;
}

bool may_have_assembly(const SourceUse& use, const std::vector<std::string>& texts, FileSystemMemo& memo) {
  if (use.has_unknown_names()) return true;
  return std::any_of(use.files().begin(), use.files().end(),
                     [&](const ReadFile& file) { return file.is_text() && may_have(file, use, texts, memo); });
}

}  // namespace hipcache::inputs
