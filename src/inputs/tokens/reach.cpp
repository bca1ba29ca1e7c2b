#include "inputs/tokens/reach.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "inputs/tokens/judged.h"

namespace hipcache::inputs {
namespace {

struct Leaf {
  std::string_view name;
  Leads leads;
};

// What compilers themselves replace by a place, a file's name or a type's name. __FILE_NAME__ is the last component
// alone, and __func__ names no type in clang.
constexpr std::array<Leaf, 13> kLeaves{{{"__LINE__", kToPosition},
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
                                        {"__builtin_dump_struct", kToTypes},
                                        {kUnjudgedBuiltin, kToPosition | kToCaller | kToFileName | kToTypes}}};

// A leaf in an installed header: what it prints is text alone.
Leads leads_in(const ReadSource& source, Leads leads) {
  if (!source.is_installed) return leads;
  const Leads kept = source.is_in_root ? leads : static_cast<Leads>(leads & ~kToFileName);
  return (kept & kToTypes) == 0 ? kept : static_cast<Leads>((kept & ~kToTypes) | kToTypesOfProject);
}

Leads own_leads(const MacroDefinition& macro) {
  return static_cast<Leads>((macro.makes_texts ? kToText : 0) | (macro.pastes ? kToPasting : 0) |
                            (macro.begins_unnamed ? kToUnnamed : 0) | (macro.ends_in_head ? kToHead : 0) |
                            (macro.is_unjudged ? kToUnjudged : 0) | (macro.assembles ? kToAssembly : 0) |
                            (macro.makes_pragma ? kToPragma : 0));
}

// An argument that no list permits makes a macro unjudged. So does one that the macro itself gets: it may be expanded
// before it is passed on.
Leads through(const WordUse& use, Leads leads) {
  if ((leads & kToPragma) == 0) return leads;
  const auto others = static_cast<Leads>(leads & ~kToPragma);
  return use.gives_pragma ? others : static_cast<Leads>(others | kToUnjudged);
}

bool holds_word(const std::vector<Name64>& sorted, Name64 word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

// Those that the source defines or uses. A macro that uses one is one itself.
NameSet names_among(const NameSet& names, const SourceNames& source) {
  NameSet found;
  const auto take = [&](Name64 name) {
    if (names.contains(name)) found.insert(name);
  };
  for (const MacroDefinition& macro : source.macros) take(macro.name);
  for (const Name64 word : source.live) take(word);
  if (found.empty()) return found;
  for (const WordUse& use : source.uses) take(use.word);
  return found;
}

}  // namespace

template <typename Visit>
void Reach::for_each_source(Visit visit) const {
  for (const ReadSource& source : sources_) visit(source);
  visit(command_macros_);
}

Reach::Reach(const std::vector<ReadSource>& sources, ReadSource command_macros, bool knows_all_macros,
             const PasteFactsOf& paste_facts, const PastingOf& pasting_of)
    : sources_(sources), command_macros_(std::move(command_macros)), knows_all_macros_(knows_all_macros) {
  for_each_source([&](const ReadSource& source) {
    for (const MacroDefinition& macro : source.names->macros) defined_.add(macro.name);
  });
  for_each_source([&](const ReadSource& source) { add(source); });
  while (!open_.empty()) {
    const auto [name, leads] = open_.back();
    open_.pop_back();
    for_each_source([&](const ReadSource& source) { grow(source, name, leads, false); });
  }
  find_pasted(paste_facts, pasting_of);
}

void Reach::add(const ReadSource& source) {
  for (const Leaf& leaf : kLeaves) grow(source, name64(leaf.name), leaf.leads, true);
  for (std::uint32_t i = 0; i < source.names->macros.size(); ++i)
    if (const Leads leads = own_leads(source.names->macros[i]); leads != 0) note(*source.names, i, leads);
}

void Reach::grow(const ReadSource& source, Name64 from, Leads leads, bool is_leaf) {
  const SourceNames& names = *source.names;
  if (!names.used.may_hold(from)) return;
  const Leads taken = is_leaf ? leads_in(source, leads) : leads;
  for (auto use = std::lower_bound(names.uses.begin(), names.uses.end(), WordUse{.word = from});
       use != names.uses.end() && use->word == from; ++use)
    note(names, use->macro, through(*use, taken));
}

bool Reach::is_left_out(const SourceNames& source, std::uint32_t guard) const {
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

bool Reach::is_defined(Name64 macro) const {
  bool found = false;
  if (defined_.may_hold(macro))
    for_each_source([&](const ReadSource& source) { found = found || defines(*source.names, macro); });
  return found;
}

bool Reach::fails(const Guard& guard) const {
  if (guard.holds == Guard::Holds::if_defined) return !guard.may_be_predefined && !is_defined(guard.name);
  bool is_undefined = !defines(*command_macros_.names, guard.name);
  for_each_source([&](const ReadSource& source) {
    is_undefined = is_undefined || holds_word(source.names->undefined, guard.name);
  });
  return !is_undefined;
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

Leads Reach::own_live_leads(const ReadSource& source) const {
  const SourceNames& names = *source.names;
  Leads leads = names.begins_unnamed ? kToUnnamed : 0;
  for (const Leaf& leaf : kLeaves)
    if (holds_word(names.live, name64(leaf.name))) leads |= leads_in(source, leaf.leads);
  for (const Name64 word : names.live)
    if (const auto at = led_.find(word); at != led_.end()) leads |= at->second.leads;
  for (const Unjudged& one : names.unjudged)
    if (!is_left_out(names, one.guard)) leads |= one.assembles ? kToAssembly : kToUnjudged;
  return leads;
}

Leads Reach::of_live(const ReadSource& source) const {
  const Leads leads = own_live_leads(source);
  if ((leads & kToPasting) == 0) return leads;
  return leads | (source.is_installed ? by_pasted_leaves() & kToCaller : by_pasting(source));
}

const Unjudged* Reach::first_unjudged(const ReadSource& source) const {
  for (const Unjudged& one : source.names->unjudged)
    if (!one.assembles && !is_left_out(*source.names, one.guard)) return &one;
  return nullptr;
}

void Reach::find_pasted(const PasteFactsOf& paste_facts, const PastingOf& pasting_of) {
  std::vector<std::pair<Name64, std::string>> pasting;
  NameSet all;
  for (const auto& [name, led] : led_) {
    if ((led.leads & kToPasting) == 0) continue;
    pasting.emplace_back(name, led.name);
    all.insert(name);
  }
  if (pasting.empty()) return;
  std::sort(pasting.begin(), pasting.end());
  Hasher key("pasting");
  for (const auto& [name, text] : pasting) key.field(text);
  std::vector<std::pair<const ReadSource*, NameSet>> callers;
  for_each_source([&](const ReadSource& source) {
    NameSet own = names_among(all, *source.names);
    if (!own.empty() || !source.names->macros.empty()) key.field(source.content);
    if (!own.empty()) callers.emplace_back(&source, std::move(own));
  });
  pasting_ = pasting_of(key.finish(), [&]() -> std::shared_ptr<const Pasting> {
    std::vector<std::shared_ptr<const PasteFacts>> facts;
    for (const auto& [source, own] : callers) {
      facts.push_back(paste_facts(*source, own));
      if (facts.back() == nullptr) return nullptr;
    }
    LargeFilter words;
    for_each_source([&](const ReadSource& source) {
      for (const Name64 word : source.names->body_words) words.add(word);
    });
    return std::make_shared<const Pasting>(std::move(facts), pasting, std::move(words),
                                           [this](Name64 macro, const auto& take) { words_of(macro, take); });
  });
  if (pasting_ == nullptr) pasting_ = std::make_shared<const Pasting>();
}

Leads Reach::by_pasted_leaves() const {
  if (by_pasted_leaves_) return *by_pasted_leaves_;
  Leads leads = 0;
  for (const Leaf& leaf : kLeaves)
    if (pasting_->may_make(leaf.name)) leads |= leaf.leads;
  by_pasted_leaves_ = leads;
  return leads;
}

// The macros that paste or use one that does, and that the text may come to: by its words, by the words of such macros,
// or because one of them pastes the name.
NameSet Reach::pasting_from(const ReadSource& source) const {
  NameSet found;
  std::vector<Name64> open;
  const auto add = [&](Name64 name) {
    const auto led = led_.find(name);
    if (led != led_.end() && (led->second.leads & kToPasting) != 0 && found.insert(name).second) open.push_back(name);
  };
  for (const Name64 word : source.names->live) add(word);
  while (!open.empty()) {
    while (!open.empty()) {
      const Name64 macro = open.back();
      open.pop_back();
      words_of(macro, add);
    }
    for (const auto& [name, led] : led_)
      if ((led.leads & kToPasting) != 0 && !found.contains(name) && pasting_->may_make(led.name, &found)) add(name);
  }
  return found;
}

// What names may lead to that the text pastes.
Leads Reach::by_pasting(const ReadSource& source) const {
  const NameSet macros = pasting_from(source);
  Leads leads = 0;
  for (const Leaf& leaf : kLeaves)
    if (pasting_->may_make(leaf.name, &macros)) leads |= leaf.leads;
  for (const auto& [name, led] : led_)
    if ((led.leads & ~(leads | kToPasting)) != 0 && pasting_->may_make(led.name, &macros)) leads |= led.leads;
  return leads;
}

void Reach::words_of(Name64 macro, const std::function<void(Name64)>& take) const {
  if (!defined_.may_hold(macro)) return;
  for_each_source([&](const ReadSource& source) {
    const SourceNames& names = *source.names;
    for_each_definition(names, macro, [&](std::uint32_t index) {
      const MacroDefinition& definition = names.macros[index];
      for (std::uint32_t i = 0; i < definition.count; ++i) take(names.body_words[definition.begin + i]);
    });
  });
}

bool Reach::has_macro_among(const std::vector<Name64>& names) const {
  return std::any_of(names.begin(), names.end(), [&](Name64 name) { return is_defined(name); });
}

bool Reach::may_occur(std::string_view name) const {
  const Name64 word = name64(name);
  if (std::any_of(sources_.begin(), sources_.end(), [&](const ReadSource& one) { return has_word(*one.names, word); }))
    return true;
  const bool is_in_value = std::any_of(command_macros_.names->uses.begin(), command_macros_.names->uses.end(),
                                       [&](const WordUse& use) { return use.word == word; });
  return is_in_value || (pasting_ != nullptr && pasting_->may_make(name));
}

std::string_view Reach::example(const SourceNames& source, Leads to) const {
  for (const Leaf& leaf : kLeaves)
    if ((leaf.leads & to) != 0 && holds_word(source.live, name64(leaf.name))) return leaf.name;
  for (const Name64 word : source.live)
    if (const auto at = led_.find(word); at != led_.end() && (at->second.leads & to) != 0) return at->second.name;
  return "";
}

}  // namespace hipcache::inputs
