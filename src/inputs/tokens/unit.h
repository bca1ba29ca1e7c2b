// One unit of a source text: what a scanner hands on.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_UNIT_H
#define HIPCACHE_SRC_INPUTS_TOKENS_UNIT_H

#include <cstdint>
#include <string_view>

namespace hipcache::inputs {

struct Unit {
  enum class Kind : std::uint8_t {
    word,     // an identifier, a keyword or a number
    literal,  // a character or string literal without its prefix
    sign,     // one character
    rest,     // a header's name, or the rest of a line that no compiler takes apart
  };
  Kind kind = Kind::sign;
  std::string_view text;
  bool is_adjacent = false;  // nothing lies between it and the unit before
  bool begins_line = false;  // the first one of a line, joined lines being one
  bool is(std::string_view what) const { return text == what; }
};

// What the line is that a unit belongs to.
enum class Directive : std::uint8_t { none, unnamed, define, condition, header, text, other };

}  // namespace hipcache::inputs

#endif
