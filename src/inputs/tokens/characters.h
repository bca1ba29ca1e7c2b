// What each character of a source may be part of.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_CHARACTERS_H
#define HIPCACHE_SRC_INPUTS_TOKENS_CHARACTERS_H

#include <array>
#include <cstddef>
#include <string_view>

namespace hipcache::inputs {

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
// '@', '`' and a lone backslash are signs to no compiler that splits words at them.
inline bool is_of_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '@' || c == '`' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// All signs of C, C++, CUDA, Objective-C and their proposals, as pairs of characters.
inline constexpr std::string_view kPairs =
    "++ -- -> >* += -= *= /= %= ^= &= |= == != <= >= => && || << >> :: .* .. ## <: :> <% %> %: :% [: :] ^^ |> <? >? ?= "
    "?: // /* ** #@ @# := <- ~= ";

inline constexpr auto kJoined = [] {
  std::array<std::array<bool, 128>, 128> joined{};
  for (std::size_t at = 0; at + 2 < kPairs.size(); at += 3)
    joined[static_cast<unsigned char>(kPairs[at])][static_cast<unsigned char>(kPairs[at + 1])] = true;
  return joined;
}();

// Whether some compiler makes a token in which these two follow each other.
inline bool may_join(char left, char right) {
  const auto one = static_cast<unsigned char>(left);
  const auto two = static_cast<unsigned char>(right);
  return one < 128 && two < 128 && kJoined[one][two];
}

}  // namespace hipcache::inputs

#endif
