// Lambdas and types without a name, whose places clang prints.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_UNNAMED_TYPES_H
#define HIPCACHE_SRC_INPUTS_TOKENS_UNNAMED_TYPES_H

#include <cstdint>
#include <utility>
#include <vector>

#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

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

}  // namespace hipcache::inputs

#endif
