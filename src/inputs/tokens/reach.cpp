#include "inputs/tokens/reach.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace hipcache::inputs {
namespace {

struct Leaf {
  std::string_view name;
  Leads leads;
};

// What compilers themselves replace by a place, a file's name or a type's name. __FILE_NAME__ is the last component
// alone, and __func__ names no type in clang.
constexpr std::array<Leaf, 12> kLeaves{{{"__LINE__", kToPosition},
                                        {"__builtin_LINE", kToPosition | kToCaller},
                                        {"__builtin_COLUMN", kToPosition | kToCaller},
                                        {"__builtin_source_location", kToPosition | kToCaller | kToFileName | kToTypes},
                                        {"source_location", kToPosition | kToCaller | kToFileName | kToTypes},
                                        {"__builtin_FILE", kToCaller | kToFileName},
                                        {"__FILE__", kToFileName},
                                        {"__BASE_FILE__", kToFileName},
                                        {"__PRETTY_FUNCTION__", kToTypes},
                                        {"__FUNCSIG__", kToTypes},
                                        {"__builtin_FUNCSIG", kToTypes},
                                        {"__builtin_dump_struct", kToTypes}}};

// A leaf in an installed header: what it prints is text alone.
Leads leads_in(const ReadSource& source, Leads leads) {
  if (!source.is_installed) return leads;
  const Leads kept = source.is_in_root ? leads : static_cast<Leads>(leads & ~kToFileName);
  return (kept & kToTypes) == 0 ? kept : static_cast<Leads>((kept & ~kToTypes) | kToTypesOfProject);
}

Leads own_leads(const MacroDefinition& macro) {
  return static_cast<Leads>((macro.makes_texts ? kToText : 0) | (macro.pastes ? kToPasting : 0) |
                            (macro.begins_unnamed ? kToUnnamed : 0));
}

// A macro whose body has a name that spells its argument: the argument may be spelled in the macro's own file, or be
// what other macros expand to.
Leads through_macro(Leads leads) {
  return static_cast<Leads>((leads & (kToText | kToTextOfMacro)) != 0 ? leads | kToTextOfMacro : leads);
}

// A name is pasted of few pieces, and hardly one letter by one: a project of formulas has every letter as a word, and
// could paste any name of them.
constexpr std::size_t kMostPieces = 8;
constexpr std::size_t kMostLetters = 3;

// By the number of pieces of one letter: the fewest pieces in all.
using Fewest = std::array<std::uint8_t, kMostLetters + 1>;
constexpr std::uint8_t kTooMany = kMostPieces + 1;
constexpr Fewest kNone = {kTooMany, kTooMany, kTooMany, kTooMany};

bool is_letter(std::string_view name, std::size_t begin, std::size_t end) {
  return end - begin == 1 && name[begin] != '_';
}

void add_piece(const Fewest& before, bool is_letter, Fewest& with) {
  for (std::size_t letters = 0; letters + (is_letter ? 1 : 0) <= kMostLetters; ++letters) {
    const auto pieces = static_cast<std::uint8_t>(std::min<std::size_t>(before[letters] + 1U, kTooMany));
    std::uint8_t& fewest = with[letters + (is_letter ? 1 : 0)];
    fewest = std::min(fewest, pieces);
  }
}

// Whether one more piece between the two is not too many.
bool may_join(const Fewest& begin, bool is_letter, const Fewest& end) {
  Fewest with = kNone;
  add_piece(begin, is_letter, with);
  for (std::size_t letters = 0; letters <= kMostLetters; ++letters)
    for (std::size_t others = 0; letters + others <= kMostLetters; ++others)
      if (with[letters] + end[others] <= static_cast<int>(kMostPieces)) return true;
  return false;
}

bool holds_word(const std::vector<Name64>& sorted, Name64 word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

}  // namespace

Reach::Reach(const std::vector<ReadSource>& sources, std::shared_ptr<const SourceNames> command_macros,
             bool knows_all_macros)
    : sources_(sources),
      command_macros_{.path = "", .names = std::move(command_macros)},
      knows_all_macros_(knows_all_macros) {
  for (const ReadSource& source : sources) add(source);
  add(command_macros_);
  while (!open_.empty()) {
    const auto [name, leads] = open_.back();
    open_.pop_back();
    for (const ReadSource& source : sources) grow(source, name, leads, false);
    grow(command_macros_, name, leads, false);
  }
  find_pieces();
}

void Reach::add(const ReadSource& source) {
  for (const Leaf& leaf : kLeaves) grow(source, name64(leaf.name), leaf.leads, true);
  for (std::uint32_t i = 0; i < source.names->macros.size(); ++i)
    if (const Leads leads = own_leads(source.names->macros[i]); leads != 0) note(*source.names, i, leads);
}

void Reach::grow(const ReadSource& source, Name64 from, Leads leads, bool is_leaf) {
  const SourceNames& names = *source.names;
  if (!names.used.may_hold(from)) return;
  const Leads taken = is_leaf ? leads_in(source, leads) : through_macro(leads);
  for (auto use = std::lower_bound(names.uses.begin(), names.uses.end(), WordUse{from, 0});
       use != names.uses.end() && use->word == from; ++use)
    note(names, use->macro, taken);
}

bool Reach::is_left_out(const SourceNames& source, std::uint32_t guard) {
  for (; guard != 0; guard = source.guards[guard - 1].around) {
    const Guard& one = source.guards[guard - 1];
    if (one.holds == Guard::Holds::never) return true;
    if (!knows_all_macros_) continue;
    auto& known = one.holds == Guard::Holds::if_defined ? fails_if_defined_ : fails_if_undefined_;
    const auto [at, is_new] = known.try_emplace(one.name, false);
    if (is_new) at->second = fails(one);
    if (at->second) return true;
  }
  return false;
}

bool Reach::fails(const Guard& guard) const {
  const auto any_source = [&](const auto& what) {
    return what(*command_macros_.names) ||
           std::any_of(sources_.begin(), sources_.end(), [&](const ReadSource& source) { return what(*source.names); });
  };
  const auto defines = [&](const SourceNames& source) {
    return std::any_of(source.macros.begin(), source.macros.end(),
                       [&](const MacroDefinition& macro) { return macro.name == guard.name; });
  };
  if (guard.holds == Guard::Holds::if_defined) return !guard.may_be_predefined && !any_source(defines);
  return defines(*command_macros_.names) &&
         !any_source([&](const SourceNames& source) { return holds_word(source.undefined, guard.name); });
}

void Reach::note(const SourceNames& source, std::uint32_t macro, Leads leads) {
  const MacroDefinition& definition = source.macros[macro];
  const auto known = led_.find(definition.name);
  const auto added = static_cast<Leads>(known == led_.end() ? leads : leads & ~known->second.leads);
  if (added == 0 || is_left_out(source, definition.guard)) return;
  Led& led = led_[definition.name];
  led.leads |= added;
  led.name = name_of(definition, source);
  open_.emplace_back(definition.name, added);
}

Leads Reach::of_live(const ReadSource& source) const {
  const SourceNames& names = *source.names;
  Leads leads = names.begins_unnamed ? kToUnnamed : 0;
  for (const Leaf& leaf : kLeaves)
    if (holds_word(names.live, name64(leaf.name))) leads |= leads_in(source, leaf.leads);
  for (const Name64 word : names.live)
    if (const auto at = led_.find(word); at != led_.end()) leads |= at->second.leads;
  if ((leads & kToPasting) != 0) leads |= by_pasting_;
  return leads;
}

// Words of the project's files may be pasted by any macro that pastes its arguments. Words of installed headers are
// pasted only to words beside ##: an installed header does not know the names of a project.
void Reach::find_pieces() {
  const auto add_words = [&](const SourceNames& source) {
    pieces_.insert(source.live.begin(), source.live.end());
    for (const WordUse& use : source.uses) pieces_.insert(use.word);
  };
  const bool pastes = std::any_of(sources_.begin(), sources_.end(), [&](const ReadSource& source) {
    return !source.is_installed && (of_live(source) & kToPasting) != 0;
  });
  for (const ReadSource& source : sources_) {
    for (const std::string& word : source.names->pasted) pieces_.insert(name64(word));
    if (pastes && !source.is_installed) add_words(*source.names);
  }
  for (const std::string& word : command_macros_.names->pasted) pieces_.insert(name64(word));
  if (!pastes) return;
  add_words(*command_macros_.names);
  for (const Leaf& leaf : kLeaves)
    if (may_be_pasted(leaf.name)) by_pasting_ |= leaf.leads;
  for (const auto& [name, led] : led_)
    if ((led.leads & ~(by_pasting_ | kToPasting)) != 0 && may_be_pasted(led.name)) by_pasting_ |= led.leads;
}

bool Reach::is_installed_word(Name64 word) const {
  return std::any_of(sources_.begin(), sources_.end(), [&](const ReadSource& source) {
    return source.is_installed && holds_word(source.names->live, word);
  });
}

bool Reach::may_be_pasted(std::string_view name) const {
  const std::size_t size = name.size();
  const auto is_piece = [&](std::size_t begin, std::size_t end) {
    return end - begin < size && pieces_.contains(name64(name.substr(begin, end - begin)));
  };
  // Of each beginning, and of each end, the fewest pieces that it is made of.
  std::vector<Fewest> begins(size + 1, kNone);
  std::vector<Fewest> ends(size + 1, kNone);
  begins[0][0] = ends[size][0] = 0;
  for (std::size_t begin = 0; begin < size; ++begin)
    for (std::size_t end = begin + 1; begins[begin] != kNone && end <= size; ++end)
      if (is_piece(begin, end)) add_piece(begins[begin], is_letter(name, begin, end), begins[end]);
  if (begins[size] != kNone) return true;
  for (std::size_t end = size; end > 0; --end)
    for (std::size_t begin = end; ends[end] != kNone && begin-- > 0;)
      if (is_piece(begin, end)) add_piece(ends[end], is_letter(name, begin, end), ends[begin]);
  // A word of an installed header may lie between a beginning and an end.
  for (std::size_t begin = 0; begin < size; ++begin)
    for (std::size_t end = begin + 1; begins[begin] != kNone && end <= size; ++end)
      if (end - begin < size && may_join(begins[begin], is_letter(name, begin, end), ends[end]) &&
          is_installed_word(name64(name.substr(begin, end - begin))))
        return true;
  return false;
}

bool Reach::has_macro_among(const std::vector<Name64>& names) const {
  const auto defines_one = [&](const SourceNames& source) {
    return std::any_of(source.macros.begin(), source.macros.end(),
                       [&](const MacroDefinition& macro) { return holds_word(names, macro.name); });
  };
  return !names.empty() && (defines_one(*command_macros_.names) ||
                            std::any_of(sources_.begin(), sources_.end(),
                                        [&](const ReadSource& source) { return defines_one(*source.names); }));
}

bool Reach::may_occur(std::string_view name) const {
  const Name64 word = name64(name);
  if (std::any_of(sources_.begin(), sources_.end(), [&](const ReadSource& one) { return has_word(*one.names, word); }))
    return true;
  const bool is_in_value = std::any_of(command_macros_.names->uses.begin(), command_macros_.names->uses.end(),
                                       [&](const WordUse& use) { return use.word == word; });
  return is_in_value || may_be_pasted(name);
}

std::string_view Reach::example(const SourceNames& source, Leads to) const {
  for (const Leaf& leaf : kLeaves)
    if ((leaf.leads & to) != 0 && holds_word(source.live, name64(leaf.name))) return leaf.name;
  for (const Name64 word : source.live)
    if (const auto at = led_.find(word); at != led_.end() && (at->second.leads & to) != 0) return at->second.name;
  return "";
}

}  // namespace hipcache::inputs
