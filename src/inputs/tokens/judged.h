// What somebody has judged of the things in a source that a compiler may treat in a way of its own: pragmas, inline
// assembly, built-in functions. Whatever is not listed here counts as unknown (docs/internals/proof.md, "What is
// permitted").
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_JUDGED_H
#define HIPCACHE_SRC_INPUTS_TOKENS_JUDGED_H

#include <string>
#include <string_view>
#include <vector>

#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

// The words, signs and literals behind "#pragma". Judged: it acts on the tokens behind it, turns on no warning, and
// shows none of its place but by a message that names it.
bool is_judged_pragma(const std::vector<std::string>& words);

// The same of the text in _Pragma("...").
std::vector<std::string> words_of_pragma(std::string_view literal);

// Whether an assembler reads no further file for the text, which adjacent literals of an asm make together, with their
// quotes. GNU as takes directives in any case.
bool is_judged_assembly(std::string_view literals);

// "__builtin_memcpy": the value depends on the arguments and the target, and not on where it stands.
bool is_judged_builtin(std::string_view word);

// The word that stands for all built-in functions that nobody has judged.
inline constexpr std::string_view kUnjudgedBuiltin = "__builtin_?";

// Follows the units of live code or of one macro's body, and finds what is not judged in them.
class Judge {
 public:
  // `pragma`: a _Pragma of a parameter's text.
  enum class Finding : std::uint8_t { none, unjudged, assembly, pragma };

  // What was found with this unit: in it, or in what it ends. `is_parameter`: of the macro.
  Finding take(const Unit& unit, bool is_parameter);
  // The text ends.
  Finding end();
  // The words of a judged _Pragma that ended with the last unit.
  std::vector<std::string> take_words() { return std::move(words_); }
  // For people: what the last finding is.
  const std::string& what() const { return what_; }

 private:
  enum class State : std::uint8_t {
    none,
    behind_asm,
    in_asm,
    behind_pragma,
    in_pragma,
    in_argument,
    behind_argument,
    behind_text,
    behind_module
  };

  Finding found(Finding finding, std::string what);
  Finding take_asm(const Unit& unit);
  Finding take_pragma(const Unit& unit, bool is_parameter);

  State state_ = State::none;
  std::string text_;
  std::vector<std::string> words_;
  std::string what_;
  bool is_behind_export_ = false;
};

}  // namespace hipcache::inputs

#endif
