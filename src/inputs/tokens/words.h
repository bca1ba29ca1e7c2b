// Words that a scanner of sources must know.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_WORDS_H
#define HIPCACHE_SRC_INPUTS_TOKENS_WORDS_H

#include <array>
#include <string_view>

#include "hipcache/base/holds.h"
#include "inputs/tokens/unit.h"

namespace hipcache::inputs {

using namespace std::string_view_literals;

inline constexpr std::array kConditions = {"if"sv,       "ifdef"sv, "ifndef"sv, "elif"sv, "elifdef"sv,
                                           "elifndef"sv, "else"sv,  "endif"sv,  "undef"sv};
inline constexpr std::array kIncludes = {"include"sv, "include_next"sv, "import"sv, "embed"sv};
inline constexpr std::array kAsksForHeader = {"__has_include"sv, "__has_include_next"sv, "__has_embed"sv};
inline constexpr std::array kRawPrefixes = {"R"sv, "LR"sv, "uR"sv, "UR"sv, "u8R"sv};
inline constexpr std::array kBeforeBodies = {"while"sv, "for"sv, "if"sv, "switch"sv};

// By the word behind '#'.
inline Directive directive_named(std::string_view word) {
  if (word == "define") return Directive::define;
  if (holds(kConditions, word)) return Directive::condition;
  if (holds(kIncludes, word)) return Directive::header;
  return word == "error" || word == "warning" ? Directive::text : Directive::other;
}

}  // namespace hipcache::inputs

#endif
