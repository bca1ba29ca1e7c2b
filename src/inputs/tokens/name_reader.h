// Collects the names of one source text: those that live code uses, and those that macros lead to.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_NAME_READER_H
#define HIPCACHE_SRC_INPUTS_TOKENS_NAME_READER_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

// Whether an assembler may read a file that a source names: ".incbin" and ".include" in inline assembly.
//
// Choice: by the strings of a source. A compiler joins strings that follow each other, so one that ends within the
// directive counts if a string or a macro follows. The directives' words without a dot count as well, for macros that
// spell their arguments. Rejected: any string with ".inc": HIP's headers have one ("llvm.amdgcn.atomic.inc.i32").

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

// Follows the conditions of one source text: under which macros, defined or not, a line lies.
//
// Problem: assert has a definition that shows lines and an empty one, and NDEBUG decides which.
// Choice: the conditions that ask for macros by name alone (#ifdef, defined X && !defined Y) and #if 0. Others hold
// nothing back: what lies within them counts as before.

// Takes the lines of conditions in their order. Used by one thread.
class GuardReader {
 public:
  // `word`: the directive's name.
  void begin_line(std::string_view word) { word_ = word; }
  void take_unit(const Unit& unit);
  void end_line(SourceNames& names);

  // What the next line lies under (MacroDefinition::guard).
  std::uint32_t current() const { return current_; }

 private:
  struct Branches {
    std::uint32_t around = 0;
    std::vector<Guard> later;  // what holds in the branches that follow
  };

  // What the line asks for; nothing if that is not known.
  std::vector<Guard> parsed_guards() const;
  void begin_branch(const std::vector<Guard>& asked, SourceNames& names);
  std::uint32_t within(std::uint32_t around, const std::vector<Guard>& guards, SourceNames& names) const;

  std::string_view word_;  // of the line, or ""
  std::vector<Unit> units_;
  std::vector<Branches> open_;
  std::uint32_t current_ = 0;
};

// Takes the units of a text in their order. Used by one thread.
class NameReader {
 public:
  // `next`: the character behind the unit, or 0.
  void take_unit(const Unit& unit, Directive line, char next);
  // A line with that directive begins, which is a condition.
  void begin_condition(std::string_view word) { guards_.begin_line(word); }
  void end_line();
  SourceNames finish();

  SourceNames names;  // what is known so far; live names are not sorted yet

 private:
  enum class Part : std::uint8_t { name, behind_name, parameters, body };

  void take_defined(const Unit& unit, char next);
  void take_body(const Unit& unit, char next);
  void take_operand(const Unit& unit);
  void look_for_data(const Unit& unit);
  // Whether a lambda or an unnamed type may begin with this unit or began with the one before.
  bool begins_unnamed(const Unit& unit, char next);

  GuardReader guards_;
  MacroDefinition macro_;
  Part part_ = Part::name;
  bool defines_ = false;
  std::vector<Name64> parameters_;
  Unit before_;  // in this body, or in live code
  bool has_before_ = false;
  bool begins_data_ = false;     // a string came before that ends within a directive of the assembler
  bool names_type_ = false;      // "struct" and the like came before
  bool awaits_operand_ = false;  // ## came before
  int asks_builtin_ = 0;         // "__has_builtin" (2) or that and "(" (1) came before
  std::uint32_t units_ = 0;      // of the body
};

}  // namespace hipcache::inputs

#endif
