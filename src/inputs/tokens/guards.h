// Under which conditions the lines of a source stand.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_GUARDS_H
#define HIPCACHE_SRC_INPUTS_TOKENS_GUARDS_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

// Follows the conditions of one source text: under which macros, defined or not, a line lies.
//
// Problem: assert has a definition that shows lines and an empty one, and NDEBUG decides which.
// Choice: the conditions that ask for macros by name alone (#ifdef, defined X && !defined Y) and #if 0. Others hold
// nothing back: what lies within them counts as before.
//
// Takes the lines of conditions in their order. Used by one thread.
class GuardReader {
 public:
  // `word`: the directive's name.
  void begin_line(std::string_view word) { word_ = word; }
  void take_unit(const Unit& unit);
  void end_line(SourceNames& names);
  // The line takes a definition away, and so uses none.
  bool is_undef() const { return word_ == "undef"; }

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

}  // namespace hipcache::inputs

#endif
