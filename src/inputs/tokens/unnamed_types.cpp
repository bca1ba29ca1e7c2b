#include "inputs/tokens/unnamed_types.h"

#include <array>
#include <string_view>

#include "hipcache/base/text.h"

namespace hipcache::inputs {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTypeWords = {"struct"sv, "class"sv, "union"sv, "enum"sv};
constexpr std::array kBehindTypeWords = {"alignas"sv,    "_Alignas"sv, "__attribute__"sv, "__attribute"sv,
                                         "__declspec"sv, "struct"sv,   "class"sv};

}  // namespace

bool UnnamedTypes::begin_with(const Unit& unit, char next) {
  const bool is_word = unit.kind == Unit::Kind::word;
  const bool is_of_type = is_word && holds(kTypeWords, unit.text);
  bool begins = false;
  is_behind_type_ = std::exchange(names_type_, is_of_type);
  const bool is_of_template =
      unit.kind == Unit::Kind::sign && lists(" > , . = ) ", unit.text);  // "class T, class, class..."
  if (is_behind_type_ && !is_of_template && (!is_word || (holds(kBehindTypeWords, unit.text) && !before_.is("enum"))))
    begins = true;
  const bool goes_on = is_word || unit.is("{") || unit.is("(") || unit.is("<") || (unit.is("[") && next == '[') ||
                       (unit.is("-") && next == '>');
  if (std::exchange(closed_, false) && goes_on) begins = true;
  if (unit.is("[")) {
    const bool is_second =
        has_before_ && before_.is("[") && unit.is_adjacent && !open_.empty() && open_.back() == Bracket::attribute;
    const bool is_no_lambda = has_before_ && (before_.is("delete") || before_.is("operator"));
    open_.push_back(next == '[' || is_second ? Bracket::attribute : is_no_lambda ? Bracket::no_lambda : Bracket::plain);
  } else if (unit.is("]")) {
    closed_ = open_.empty() || open_.back() == Bracket::plain;
    if (!open_.empty()) open_.pop_back();
  }
  before_ = unit;
  has_before_ = true;
  return begins;
}

bool NamedByTypedef::is_of_body(const Unit& unit) const {
  if (unit.kind == Unit::Kind::word) return true;
  return unit.kind == Unit::Kind::sign && lists(is_enum_ ? " , = + - < > | ~ " : " ; , * & [ ] : < > ", unit.text);
}

NamedByTypedef::State NamedByTypedef::take(const Unit& unit) {
  const bool is_word = unit.kind == Unit::Kind::word;
  switch (state_) {
    case State::behind:
      if (is_word && words_.size() == 1 && holds(kTypeWords, unit.text)) {
        is_enum_ = unit.is("enum");
        break;
      }
      state_ = words_.size() == 2 && unit.is("{") ? State::in_body : State::none;
      break;
    case State::in_body:
      state_ = unit.is("}") ? State::behind_body : is_of_body(unit) ? State::in_body : State::unnamed;
      break;
    case State::behind_body:
      if (is_word && is_named_) {
        state_ = State::unnamed;
      } else if (!is_word) {
        state_ = is_named_ && unit.is(";") ? State::named : State::unnamed;
      }
      is_named_ = is_word;
      break;
    default:
      state_ = State::none;
  }
  if (state_ == State::none) {
    words_.clear();
    if (unit.is("typedef")) state_ = State::behind;
  }
  if (is_word) words_.push_back(name64(unit.text));
  return state_;
}

}  // namespace hipcache::inputs
