// Whether an assembler may read a file that a source names: ".incbin" and ".include" in inline assembly.
//
// Choice: by the strings of a source. A compiler joins strings that follow each other, so one that ends within the
// directive counts if a string or a macro follows. The directives' words without a dot count as well, for macros that
// spell their arguments. Rejected: any string with ".inc": HIP's headers have one ("llvm.amdgcn.atomic.inc.i32").
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_DATA_DIRECTIVE_H
#define HIPCACHE_SRC_INPUTS_TOKENS_DATA_DIRECTIVE_H

#include <algorithm>
#include <array>
#include <string_view>

namespace hipcache::inputs {

inline constexpr std::array<std::string_view, 2> kDataDirectives = {".incbin", ".include"};

// GNU as takes directives in any case.
inline bool is_same_letter(char one, char lower) {
  return one == lower || (one >= 'A' && one <= 'Z' && one + 32 == lower);
}

enum class DataDirective { none, whole, begun };

// `literal`: with its quotes. Begun: it ends within the directive, beyond ".i", because many texts end with a dot.
inline DataDirective data_directive_in(std::string_view literal) {
  DataDirective found = DataDirective::none;
  for (std::size_t at = literal.find('.'); at != literal.npos; at = literal.find('.', at + 1)) {
    const std::string_view text = literal.substr(at);
    for (const std::string_view directive : kDataDirectives) {
      const auto [end, rest] =
          std::mismatch(text.begin(), text.end(), directive.begin(), directive.end(), is_same_letter);
      if (rest == directive.end()) return DataDirective::whole;
      const bool is_cut_off = end == text.end() || *end == '"' || *end == ')';
      if (is_cut_off && rest - directive.begin() > 1) found = DataDirective::begun;
    }
  }
  return found;
}

inline bool is_data_directive(std::string_view word) {
  return std::any_of(kDataDirectives.begin(), kDataDirectives.end(), [&](std::string_view directive) {
    return std::equal(word.begin(), word.end(), directive.begin() + 1, directive.end(), is_same_letter);
  });
}

}  // namespace hipcache::inputs

#endif
