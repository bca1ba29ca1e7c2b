// Collects the names of one source text: those that live code uses, and those that macros lead to.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_NAME_READER_H
#define HIPCACHE_SRC_INPUTS_TOKENS_NAME_READER_H

#include <string_view>
#include <vector>

#include "inputs/tokens/guard_reader.h"
#include "inputs/tokens/source_text.h"
#include "inputs/tokens/unit.h"

namespace hipcache::inputs {

// Takes the units of a text in their order. Used by one thread.
class NameReader {
 public:
  // `next`: the character behind the unit, or 0.
  void take(const Unit& unit, Directive line, char next);
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
