#include "inputs/tokens/name_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hipcache/base/holds.h"
#include "inputs/tokens/data_directive.h"

namespace hipcache::inputs {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTypeWords = {"struct"sv, "class"sv, "union"sv, "enum"sv};
constexpr std::array kBehindTypeWords = {"alignas"sv,    "__attribute__"sv, "__attribute"sv,
                                         "__declspec"sv, "struct"sv,        "class"sv};
// Words behind which an expression begins. Behind any other word, '[' is an index or an array.
constexpr std::array kBeforeExpressions = {"return"sv,   "case"sv,  "throw"sv,  "co_return"sv, "co_yield"sv,
                                           "co_await"sv, "else"sv,  "do"sv,     "and"sv,       "or"sv,
                                           "not"sv,      "xor"sv,   "bitand"sv, "bitor"sv,     "compl"sv,
                                           "and_eq"sv,   "or_eq"sv, "xor_eq"sv, "not_eq"sv,    "typename"sv};

bool is_variadic(std::string_view word) { return word == "__VA_ARGS__"; }

bool may_be_joined(const Unit& unit) { return unit.kind == Unit::Kind::literal || unit.kind == Unit::Kind::word; }

}  // namespace

bool has_word(const SourceNames& source, Name64 word) {
  if (std::binary_search(source.live.begin(), source.live.end(), word)) return true;
  if (source.used.may_hold(word)) {
    const auto use = std::lower_bound(source.uses.begin(), source.uses.end(), WordUse{word, 0});
    if (use != source.uses.end() && use->word == word) return true;
  }
  return std::any_of(source.macros.begin(), source.macros.end(),
                     [&](const MacroDefinition& macro) { return macro.name == word; });
}

bool NameReader::begins_unnamed(const Unit& unit, char next) {
  const bool is_word = unit.kind == Unit::Kind::word;
  if (std::exchange(names_type_, is_word && holds(kTypeWords, unit.text)) &&
      (!is_word || (holds(kBehindTypeWords, unit.text) && !before_.is("enum"))))
    return true;
  if (!unit.is("[") || next == '[') return false;
  if (!has_before_) return true;
  if (before_.kind == Unit::Kind::word) return holds(kBeforeExpressions, before_.text);
  return !(before_.is(")") || before_.is("]") || before_.is("[") || before_.kind == Unit::Kind::literal);
}

void NameReader::look_for_data(const Unit& unit) {
  const DataDirective found = unit.kind == Unit::Kind::literal ? data_directive_in(unit.text) : DataDirective::none;
  const bool is_word = unit.kind == Unit::Kind::word && is_data_directive(unit.text);
  if (found == DataDirective::whole || is_word || (begins_data_ && may_be_joined(unit))) names.reads_data = true;
  begins_data_ = found == DataDirective::begun;
}

void NameReader::take(const Unit& unit, Directive line, char next) {
  if (line == Directive::define) return take_defined(unit, next);
  if (line == Directive::condition) guards_.take(unit);
  // Whether a compiler has a builtin does not depend on where that is asked.
  const bool is_only_asked_for = asks_builtin_ == 1;
  if (unit.kind == Unit::Kind::word && !is_only_asked_for) names.live.push_back(name64(unit.text));
  asks_builtin_ = unit.is("__has_builtin") ? 2 : asks_builtin_ == 2 && unit.is("(") ? 1 : 0;
  const bool is_behind_type = names_type_;
  if (begins_unnamed(unit, next))
    names.begins_unnamed = true;
  else if (is_behind_type)
    names.named_types.push_back(name64(unit.text));
  look_for_data(unit);
  before_ = unit;
  has_before_ = true;
}

void NameReader::take_defined(const Unit& unit, char next) {
  if (!std::exchange(defines_, true)) {
    macro_ = {};
    macro_.guard = guards_.current();
    part_ = Part::name;
    parameters_.clear();
    has_before_ = names_type_ = awaits_operand_ = begins_data_ = false;
    units_ = 0;
  }
  switch (part_) {
    case Part::name:
      macro_.name = name64(unit.text);
      macro_.at = static_cast<std::uint32_t>(names.macro_names.size());
      macro_.length = static_cast<std::uint32_t>(unit.text.size());
      names.macro_names += unit.text;
      part_ = Part::behind_name;
      return;
    case Part::behind_name:
      part_ = unit.is("(") && unit.is_adjacent ? Part::parameters : Part::body;
      if (part_ == Part::body) take_body(unit, next);
      return;
    case Part::parameters:
      if (unit.kind == Unit::Kind::word) parameters_.push_back(name64(unit.text));
      if (unit.is(")")) part_ = Part::body;
      return;
    case Part::body:
      return take_body(unit, next);
  }
}

void NameReader::take_operand(const Unit& unit) {
  if (unit.kind != Unit::Kind::word || is_variadic(unit.text) || holds(parameters_, name64(unit.text))) return;
  names.pasted.emplace_back(unit.text);
}

void NameReader::take_body(const Unit& unit, char next) {
  macro_.body = checksum_of(unit.text, macro_.body);
  macro_.has_several = ++units_ > 1;
  const bool is_behind_type = names_type_;
  if (begins_unnamed(unit, next) || (is_behind_type && !holds(parameters_, name64(unit.text))))
    macro_.begins_unnamed = true;
  const bool is_second = unit.is("#") && has_before_ && before_.is("#") && unit.is_adjacent;
  if (is_second) {
    awaits_operand_ = true;
  } else if (unit.is("#")) {
    if (next == '#') {
      macro_.pastes = true;
      if (has_before_) take_operand(before_);
    } else {
      macro_.makes_texts = true;
    }
  } else {
    if (unit.is("%") && next == ':') macro_.makes_texts = macro_.pastes = true;
    if (std::exchange(awaits_operand_, false)) take_operand(unit);
    if (unit.kind == Unit::Kind::word && !holds(parameters_, name64(unit.text)))
      names.uses.push_back({name64(unit.text), static_cast<std::uint32_t>(names.macros.size())});
    look_for_data(unit);
  }
  before_ = unit;
  has_before_ = true;
}

void NameReader::end_line() {
  guards_.end_line(names);
  if (!std::exchange(defines_, false)) return;
  macro_.begins_unnamed = macro_.begins_unnamed || names_type_;
  names.macros.push_back(macro_);
  names.reads_data = names.reads_data || begins_data_;
  has_before_ = names_type_ = begins_data_ = false;
}

SourceNames NameReader::finish() {
  end_line();
  const auto settle = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    list.shrink_to_fit();
  };
  settle(names.live);
  settle(names.uses);
  settle(names.named_types);
  settle(names.undefined);
  settle(names.pasted);
  names.macros.shrink_to_fit();
  names.guards.shrink_to_fit();
  names.macro_names.shrink_to_fit();
  for (const WordUse& use : names.uses) names.used.add(use.word);
  return std::move(names);
}

}  // namespace hipcache::inputs
