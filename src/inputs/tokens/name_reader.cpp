#include "inputs/tokens/name_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "hipcache/base/text.h"

namespace hipcache::inputs {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostUnits = 32;  // of a condition that is understood

// Whether a compiler may define a macro of that name by itself. The standard keeps the names that begin with an
// underscore for it. Beside those, compilers have short names of systems and processors (linux, MIPSEB), and those of
// some families: what clang 15 to 23 define, and the names in their libraries that begin so.
bool may_be_predefined(std::string_view name) {
  constexpr std::array kFamilies = {"_"sv, "HIP_"sv, "CUDA_"sv, "CL_"sv, "SYCL_"sv, "FP_"sv, "OBJC_"sv, "IB_"sv};
  constexpr std::array kUsual = {"DEBUG"sv, "NDEBUG"sv};
  if (holds(kUsual, name)) return false;
  const bool is_of_family =
      std::any_of(kFamilies.begin(), kFamilies.end(), [&](std::string_view one) { return name.starts_with(one); });
  const bool has_capital = std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_of_family || !has_capital || name.find('_') == name.npos;
}

Guard guard_of(std::string_view name, Guard::Holds holds) {
  return {.name = name64(name), .holds = holds, .may_be_predefined = may_be_predefined(name)};
}

// The opposite; none if that is always true.
std::optional<Guard> opposite(Guard guard) {
  if (guard.holds == Guard::Holds::never) return std::nullopt;
  guard.holds = guard.holds == Guard::Holds::if_defined ? Guard::Holds::if_undefined : Guard::Holds::if_defined;
  return guard;
}

// Reads "defined X", "!defined(X)" and several of them with && between.
class Terms {
 public:
  explicit Terms(const std::vector<Unit>& units) : units_(units) {}

  std::vector<Guard> read() {
    std::vector<Guard> guards;
    do {
      const std::optional<Guard> guard = term();
      if (!guard) return {};
      guards.push_back(*guard);
    } while (takes("&") && takes("&"));
    return at_ == units_.size() && !is_broken_ ? guards : std::vector<Guard>();
  }

 private:
  bool takes(std::string_view text) {
    if (at_ == units_.size() || !units_[at_].is(text)) return false;
    ++at_;
    return true;
  }

  std::optional<Guard> term() {
    const auto holds = takes("!") ? Guard::Holds::if_undefined : Guard::Holds::if_defined;
    if (!takes("defined")) return std::nullopt;
    const bool has_parentheses = takes("(");
    if (at_ == units_.size() || units_[at_].kind != Unit::Kind::word) return std::nullopt;
    const Guard guard = guard_of(units_[at_++].text, holds);
    if (has_parentheses && !takes(")")) return std::nullopt;
    is_broken_ = is_broken_ || (at_ < units_.size() && !units_[at_].is("&"));
    return guard;
  }

  const std::vector<Unit>& units_;
  std::size_t at_ = 0;
  bool is_broken_ = false;  // something else than && follows
};

}  // namespace

void GuardReader::take_unit(const Unit& unit) {
  if (units_.size() <= kMostUnits) units_.push_back(unit);
}

std::vector<Guard> GuardReader::parsed_guards() const {
  if (units_.empty() || units_.size() > kMostUnits) return {};
  const bool is_one = units_.size() == 1;
  if (word_.ends_with("ndef"))
    return is_one ? std::vector{guard_of(units_[0].text, Guard::Holds::if_undefined)} : std::vector<Guard>();
  if (word_.ends_with("def"))
    return is_one ? std::vector{guard_of(units_[0].text, Guard::Holds::if_defined)} : std::vector<Guard>();
  if (is_one && units_[0].is("0")) return {{.holds = Guard::Holds::never}};
  return Terms(units_).read();
}

std::uint32_t GuardReader::within(std::uint32_t around, const std::vector<Guard>& guards, SourceNames& names) const {
  for (Guard guard : guards) {
    guard.around = around;
    names.guards.push_back(guard);
    around = static_cast<std::uint32_t>(names.guards.size());
  }
  return around;
}

void GuardReader::begin_branch(const std::vector<Guard>& asked, SourceNames& names) {
  Branches& branches = open_.back();
  current_ = within(within(branches.around, branches.later, names), asked, names);
  // That none of several holds says nothing of each.
  if (asked.size() != 1) return;
  if (const std::optional<Guard> other = opposite(asked[0])) branches.later.push_back(*other);
}

void GuardReader::end_line(SourceNames& names) {
  if (word_.starts_with("if")) {
    open_.push_back({.around = current_, .later = {}});
    begin_branch(parsed_guards(), names);
  } else if (word_ == "undef") {
    if (!units_.empty()) names.undefined.push_back(name64(units_[0].text));
  } else if (!open_.empty() && word_.starts_with("el")) {
    begin_branch(word_ == "else" ? std::vector<Guard>() : parsed_guards(), names);
  } else if (!open_.empty() && word_ == "endif") {
    current_ = open_.back().around;
    open_.pop_back();
  }
  word_ = "";
  units_.clear();
}

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

void NameReader::take_unit(const Unit& unit, Directive line, char next) {
  if (line == Directive::define) return take_defined(unit, next);
  if (line == Directive::condition) guards_.take_unit(unit);
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
