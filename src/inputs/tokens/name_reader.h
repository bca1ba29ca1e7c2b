// Collects the names of one source text: those that live code uses, and those that macros lead to.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_NAME_READER_H
#define HIPCACHE_SRC_INPUTS_TOKENS_NAME_READER_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/text.h"
#include "inputs/tokens/guards.h"
#include "inputs/tokens/judged.h"
#include "inputs/tokens/source_text.h"
#include "inputs/tokens/unnamed_types.h"

namespace hipcache::inputs {

// Follows the definition of a macro.
class DefinitionReader {
 public:
  enum class Part : std::uint8_t { name, behind_name, parameters, body };

  // Takes a unit of the line, and says which part of the definition it belongs to.
  Part take(const Unit& unit);
  // The line ends. False if it defined nothing.
  bool end() { return std::exchange(part_, Part::name) != Part::name; }
  bool is_parameter(const Unit& unit) const {
    return unit.kind == Unit::Kind::word &&
           (unit.is("__VA_ARGS__") || unit.is("__VA_OPT__") || holds(parameters_, name64(unit.text)));
  }
  bool has_one_parameter() const { return parameters_.size() + (is_variadic_ ? 1 : 0) == 1; }

 private:
  Part part_ = Part::name;
  std::vector<Name64> parameters_;
  bool is_variadic_ = false;
};

// Follows what stands in parentheses behind the words of a macro's body.
class ArgumentReader {
 public:
  // `is_use`: a word that may be a macro; `uses`: how many came before. Returns the use whose argument ends here, if
  // that is a judged pragma.
  std::optional<std::size_t> ends_pragma(const Unit& unit, bool is_use, std::size_t uses);

 private:
  static constexpr std::size_t kMostUnits = 8;  // of an argument that are looked at
  static constexpr std::size_t kMostOpen = 32;  // in one another; what is deeper is no pragma

  struct Argument {
    std::optional<std::size_t> called;  // of the uses; nothing if no word stands before the parenthesis
    std::vector<std::string> units;
    bool is_pasted = false;
  };
  std::vector<Argument> open_;
  std::size_t deeper_ = 0;
  bool is_behind_use_ = false;
};

class NameReader : public UnitReader {
 public:
  void begin_directive(Directive directive, std::string_view word, std::uint64_t line) override;
  void take_unit(const Unit& unit, Directive directive, std::uint64_t line, char next) override;
  void end_line() override;
  SourceNames finish();

 private:
  void take_live(const Unit& unit, char next, std::uint64_t line);
  void take_live_type(const Unit& unit, char next);
  void take_body(const Unit& unit, char next);
  void take_defined(const Unit& unit, char next);
  void take_finding(Judge::Finding finding, std::uint64_t line);
  void add_live(std::string_view word);
  // A word of a macro's body.
  void add_use(std::string_view word);
  void add_unjudged(std::uint64_t line, std::string what, bool assembles = false);
  void end_pragma();

  SourceNames names_;
  GuardReader guards_;
  Judge live_judge_;
  ArgumentReader argument_;
  UnnamedTypes live_types_;
  NamedByTypedef live_typedef_;
  std::uint64_t line_ = 0;
  Directive directive_ = Directive::none;
  std::vector<std::string> pragma_;
  int asks_builtin_ = 0;  // "__has_builtin" (2) or that and "(" (1) came before
  int asks_header_ = 0;   // the same of "__has_include"

  // The macro that is being defined.
  DefinitionReader definition_;
  MacroDefinition macro_;
  Judge judge_;
  UnnamedTypes types_;
  std::vector<bool> heads_;  // for each open parenthesis of the body, whether a loop's or condition's body follows it
  Unit before_;              // in the body
  bool has_before_ = false;
};

}  // namespace hipcache::inputs

#endif
