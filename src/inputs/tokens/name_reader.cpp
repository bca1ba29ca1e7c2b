#include "inputs/tokens/name_reader.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "hipcache/base/text.h"

namespace hipcache::inputs {

namespace {

using namespace std::string_view_literals;

// The name under which the word counts: one for all built-in functions that nobody has judged.
Name64 counted_name(std::string_view word) { return name64(is_judged_builtin(word) ? word : kUnjudgedBuiltin); }

}  // namespace

bool has_word(const SourceNames& source, Name64 word) {
  if (std::binary_search(source.live.begin(), source.live.end(), word)) return true;
  if (source.used.may_hold(word)) {
    const auto use = std::lower_bound(source.uses.begin(), source.uses.end(), WordUse{.word = word});
    if (use != source.uses.end() && use->word == word) return true;
  }
  return defines(source, word) || std::binary_search(source.undefined.begin(), source.undefined.end(), word);
}

DefinitionReader::Part DefinitionReader::take(const Unit& unit) {
  switch (part_) {
    case Part::name:
      parameters_.clear();
      is_variadic_ = false;
      part_ = Part::behind_name;
      return Part::name;
    case Part::behind_name:
      part_ = unit.is("(") && unit.is_adjacent ? Part::parameters : Part::body;
      return part_;
    case Part::parameters:
      if (unit.kind == Unit::Kind::word) parameters_.push_back(name64(unit.text));
      if (unit.text.starts_with('.')) is_variadic_ = true;
      if (unit.is(")")) part_ = Part::body;
      return Part::parameters;
    case Part::body:
      break;
  }
  return Part::body;
}

std::optional<std::size_t> ArgumentReader::ends_pragma(const Unit& unit, bool is_use, std::size_t uses) {
  std::optional<std::size_t> called;
  if (unit.is(")") && deeper_ > 0) {
    --deeper_;
  } else if (unit.is(")") && !open_.empty()) {
    const Argument& ended = open_.back();
    if (ended.called && !ended.is_pasted && is_judged_pragma(ended.units)) called = ended.called;
    open_.pop_back();
  }
  const bool is_parameter = unit.kind == Unit::Kind::word && !is_use;
  for (Argument& one : open_) {
    one.is_pasted = one.is_pasted || unit.is("%") || (unit.is("#") && !one.units.empty() && one.units.back() == "#");
    if (one.units.size() < kMostUnits) one.units.emplace_back(is_parameter ? "?" : unit.text);
  }
  if (unit.is("(") && open_.size() == kMostOpen)
    ++deeper_;
  else if (unit.is("("))
    open_.push_back({.called = is_behind_use_ ? std::optional(uses - 1) : std::nullopt, .units = {}});
  is_behind_use_ = is_use;
  return called;
}

void NameReader::add_live(std::string_view word) { names_.live.push_back(counted_name(word)); }

void NameReader::add_use(std::string_view word) {
  const Name64 name = counted_name(word);
  names_.uses.push_back({name, static_cast<std::uint32_t>(names_.macros.size())});
  names_.body_words.push_back(name);
}

void NameReader::add_unjudged(std::uint64_t line, std::string what, bool assembles) {
  names_.unjudged.push_back(
      {.line = line, .what = std::move(what), .guard = guards_.current(), .assembles = assembles});
}

void NameReader::begin_directive(Directive directive, std::string_view word, std::uint64_t line) {
  directive_ = directive;
  line_ = line;
  if (!live_typedef_.ends()) names_.begins_unnamed = true;
  pragma_.clear();
  if (directive == Directive::condition) guards_.begin_line(word);
  if (directive == Directive::other) add_unjudged(line, word.empty() ? "a line marker" : "#" + std::string(word));
}

void NameReader::take_finding(Judge::Finding finding, std::uint64_t line) {
  if (finding != Judge::Finding::none) add_unjudged(line, live_judge_.what(), finding == Judge::Finding::assembly);
  for (const std::string& word : live_judge_.take_words())
    if (is_of_word(word.front())) add_live(word);
}

void NameReader::take_unit(const Unit& unit, Directive directive, std::uint64_t line, char next) {
  if (directive == Directive::define) return take_defined(unit, next);
  if (directive == Directive::condition) guards_.take_unit(unit);
  if (directive == Directive::pragma) pragma_.emplace_back(unit.text);
  if (directive == Directive::header && unit.kind != Unit::Kind::rest) add_unjudged(line, "a computed #include");
  if (directive == Directive::text || directive == Directive::other) return;
  if (directive == Directive::condition && guards_.is_undef()) return;
  take_live(unit, next, line);
}

void NameReader::take_live(const Unit& unit, char next, std::uint64_t line) {
  // Whether a compiler has a builtin does not depend on where that is asked.
  const bool is_only_asked_for = asks_builtin_ == 1;
  if (unit.kind == Unit::Kind::word) {
    if (!is_only_asked_for) add_live(unit.text);
    if (asks_header_ == 1) add_unjudged(line, "__has_include of a macro");
  }
  // A quote without its end: compilers may read the words behind it.
  if (unit.kind == Unit::Kind::rest && unit.text.front() == '\'')
    for (const std::string& word : words_of_pragma("\"" + std::string(unit.text.substr(1)) + "\""))
      if (is_of_word(word.front())) add_live(word);
  asks_builtin_ = unit.is("__has_builtin") ? 2 : asks_builtin_ == 2 && unit.is("(") ? 1 : 0;
  asks_header_ = holds(kAsksForHeader, unit.text) ? 2 : asks_header_ == 2 && unit.is("(") ? 1 : 0;
  take_finding(live_judge_.take(unit, false), line);
  take_live_type(unit, next);
}

void NameReader::take_live_type(const Unit& unit, char next) {
  const bool begins = live_types_.begin_with(unit, next);
  const NamedByTypedef::State named = live_typedef_.take(unit);
  const bool opens = named == NamedByTypedef::State::in_body && unit.is("{");
  if ((begins && !opens) || named == NamedByTypedef::State::unnamed)
    names_.begins_unnamed = true;
  else if (live_types_.is_behind_type() && !opens)
    names_.named_types.push_back(name64(unit.text));
  if (named != NamedByTypedef::State::named) return;
  for (const Name64 word : live_typedef_.take_words()) names_.named_types.push_back(word);
}

void NameReader::take_defined(const Unit& unit, char next) {
  switch (definition_.take(unit)) {
    case DefinitionReader::Part::name:
      macro_ = {.name = name64(unit.text),
                .at = static_cast<std::uint32_t>(names_.macro_names.size()),
                .length = static_cast<std::uint32_t>(unit.text.size()),
                .guard = guards_.current(),
                .begin = static_cast<std::uint32_t>(names_.body_words.size())};
      names_.macro_names += unit.text;
      judge_ = {};
      types_ = {};
      heads_.clear();
      has_before_ = false;
      asks_header_ = 0;
      argument_ = {};
      return;
    case DefinitionReader::Part::body:
      return take_body(unit, next);
    default:
      return;
  }
}

void NameReader::take_body(const Unit& unit, char next) {
  const bool is_parameter = definition_.is_parameter(unit);
  if (types_.begin_with(unit, next) || (types_.is_behind_type() && !is_parameter)) macro_.begins_unnamed = true;
  macro_.ends_in_head = unit.kind == Unit::Kind::word && holds(kBeforeBodies, unit.text);
  if (unit.is("(")) {
    const bool is_head = has_before_ && before_.kind == Unit::Kind::word && holds(kBeforeBodies, before_.text);
    heads_.push_back(is_head);
  } else if (unit.is(")") && !heads_.empty()) {
    macro_.ends_in_head = heads_.back();
    heads_.pop_back();
  }
  if (asks_header_ == 1 && is_parameter) macro_.makes_texts = true;  // its blanks are part of a file's name
  if (asks_header_ == 1 && unit.kind == Unit::Kind::word && !is_parameter) macro_.is_unjudged = true;
  asks_header_ = holds(kAsksForHeader, unit.text) ? 2 : asks_header_ == 2 && unit.is("(") ? 1 : 0;
  if (unit.is("#")) {
    const bool is_second = has_before_ && before_.is("#") && unit.is_adjacent;
    (next == '#' || is_second ? macro_.pastes : macro_.makes_texts) = true;
  }
  if (unit.is("%") && next == ':') macro_.makes_texts = macro_.is_unjudged = true;
  const bool is_use = unit.kind == Unit::Kind::word && !is_parameter;
  if (const auto called = argument_.ends_pragma(unit, is_use, names_.uses.size()))
    names_.uses[*called].gives_pragma = true;
  if (is_use) add_use(unit.text);
  if (unit.kind == Unit::Kind::rest && !unit.text.starts_with('<'))
    macro_.is_unjudged = true;  // a quote without its end
  const Judge::Finding finding = judge_.take(unit, is_parameter);
  const bool makes_pragma = finding == Judge::Finding::pragma;
  macro_.makes_pragma |= makes_pragma;
  macro_.is_unjudged |= finding == Judge::Finding::unjudged || (makes_pragma && !definition_.has_one_parameter());
  macro_.assembles |= finding == Judge::Finding::assembly;
  for (const std::string& word : judge_.take_words())
    if (is_of_word(word.front())) add_use(word);
  before_ = unit;
  has_before_ = true;
}

void NameReader::end_pragma() {
  if (!is_judged_pragma(pragma_)) {
    std::string what = "#pragma";
    for (std::size_t i = 0; i < std::min<std::size_t>(pragma_.size(), 4); ++i) what += " " + pragma_[i];
    add_unjudged(line_, std::move(what));
  }
  for (const std::string& unit : pragma_)
    if (unit.front() == '"')
      for (const std::string& word : words_of_pragma(unit))
        if (is_of_word(word.front())) add_live(word);
}

void NameReader::end_line() {
  if (directive_ == Directive::pragma) end_pragma();
  directive_ = Directive::none;
  guards_.end_line(names_);
  if (!definition_.end()) return;
  macro_.begins_unnamed |= types_.may_go_on();
  macro_.is_unjudged |= judge_.end() != Judge::Finding::none;
  macro_.count = static_cast<std::uint32_t>(names_.body_words.size()) - macro_.begin;
  names_.macros.push_back(macro_);
}

SourceNames NameReader::finish() {
  end_line();
  if (!live_typedef_.ends()) names_.begins_unnamed = true;
  const auto settle = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    list.shrink_to_fit();
  };
  settle(names_.live);
  settle(names_.uses);
  settle(names_.named_types);
  settle(names_.undefined);
  names_.macros.shrink_to_fit();
  names_.body_words.shrink_to_fit();
  names_.guards.shrink_to_fit();
  names_.macro_names.shrink_to_fit();
  for (const WordUse& use : names_.uses) names_.used.add(use.word);
  for (const MacroDefinition& macro : names_.macros) names_.defined.add(macro.name);
  names_.by_name.resize(names_.macros.size());
  std::iota(names_.by_name.begin(), names_.by_name.end(), 0U);
  std::stable_sort(names_.by_name.begin(), names_.by_name.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return names_.macros[a].name < names_.macros[b].name; });
  return std::move(names_);
}

}  // namespace hipcache::inputs
