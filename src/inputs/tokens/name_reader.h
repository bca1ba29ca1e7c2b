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
#include "inputs/tokens/judged.h"
#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

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

// Whether a lambda or an unnamed type may begin somewhere in a text.
//
// Choice: a '[' is taken for one, wherever it stands, unless it begins an attribute or what follows its ']' cannot go
// on with a lambda. A type's word begins an unnamed type unless a name follows.
class UnnamedTypes {
 public:
  // `next`: the character behind the unit.
  bool begin_with(const Unit& unit, char next);
  // Whether the text may go on with one behind its end.
  bool may_go_on() const { return names_type_ || closed_; }
  // Whether the last unit stands where a type's name is expected.
  bool is_behind_type() const { return is_behind_type_; }

 private:
  enum class Bracket : std::uint8_t { plain, attribute, no_lambda };
  Unit before_;
  bool has_before_ = false;
  std::vector<Bracket> open_;
  bool closed_ = false;      // by the unit before
  bool names_type_ = false;  // "struct" and the like came before
  bool is_behind_type_ = false;
};

// Follows "typedef struct { int a; } NAME;", a record or an enumeration that has its name from the end of its
// declaration. clang prints that name, and no place, if nothing in the body is printed before the name is known.
//
// Choice: the body has members and enumerators alone, without functions, initialisers and types of its own, and no
// directive stands before the end. Whoever uses this must know that none of the words is a macro (take_words).
class NamedByTypedef {
 public:
  enum class State : std::uint8_t {
    none,     // no such type, as far as is known
    behind,   // "typedef", or that and "struct", came before
    in_body,  // ... and "{"
    behind_body,
    named,    // the unit gives it its name
    unnamed,  // the unit shows that it is another declaration
  };
  State take(const Unit& unit);
  // A directive or the end of the text. False if a declaration was open.
  bool ends() {
    const State state = std::exchange(state_, State::none);
    return state != State::in_body && state != State::behind_body;
  }
  std::vector<Name64> take_words() { return std::exchange(words_, {}); }

 private:
  bool is_of_body(const Unit& unit) const;

  State state_ = State::none;
  bool is_enum_ = false;
  bool is_named_ = false;  // a word came behind the body
  std::vector<Name64> words_;
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
