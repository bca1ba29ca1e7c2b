#include "inputs/sources/source_questions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "inputs/rules/path_class.h"

namespace hipcache::inputs {
namespace {

// Both compilers warn if a macro is defined twice with other blanks within.
bool defines_twice(const SourceNames& source, const SourceUse& use) {
  std::set<std::pair<Name64, std::uint64_t>> seen;
  for (const MacroDefinition& macro : source.macros) {
    if (!macro.has_several) continue;
    if (!seen.insert({macro.name, macro.body}).second) return true;
  }
  if (seen.empty()) return false;
  for (const ReadSource& other : use.sources()) {
    if (other.names.get() == &source) continue;
    for (const MacroDefinition& macro : other.names->macros)
      if (macro.has_several && seen.contains({macro.name, macro.body})) return true;
  }
  return false;
}

bool has_long_macro(const SourceNames& source) {
  return std::any_of(source.macros.begin(), source.macros.end(),
                     [](const MacroDefinition& macro) { return macro.has_several; });
}

// Whether macros that spell what other macros expand to may be used, or an #include does so.
bool may_spell_macros(const SourceUse& use) {
  return (use.leads_of_project() & kToTextOfMacro) != 0 ||
         std::any_of(use.sources().begin(), use.sources().end(),
                     [](const ReadSource& source) { return source.names->includes_by_macro; });
}

bool reads_data(const SourceUse& use) {
  return std::any_of(use.sources().begin(), use.sources().end(),
                     [](const ReadSource& source) { return source.names->reads_data; });
}

bool may_print_types(const SourceUse& use, const Sight& sight) {
  return sight.shows_places_of_types ||
         (!use.is_by_gcc() && (use.leads_of_project() & (kToTypes | kToTypesOfProject)) != 0);
}

// What of the whole compile counts for each of its files.
struct Whole {
  Whole(const SourceUse& use, const Sight& sight)
      : reads_data(inputs::reads_data(use)),
        spells_macros(may_spell_macros(use)),
        prints_types(may_print_types(use, sight)) {}
  bool reads_data, spells_macros, prints_types;
};

SourceQuestion question_about(const ReadFile& file, const SourceUse& use, const Sight& sight, const Whole& whole) {
  if (sight.weakest == Question::content || !file.is_text() || file.is_own_of_toolchain || whole.reads_data) return {};
  const ReadSource& source = use.sources()[file.source];
  const SourceNames& names = *source.names;
  const bool is_read_otherwise = names.differs_by_language && !sight.is_cxx;
  if (source.is_installed || !names.is_known || is_read_otherwise || !is_named_as_source(file.path)) return {};
  const Leads leads = use.leads(file);
  const auto in_place = [&](Leads by) {
    return SourceQuestion{Question::tokens_in_place, use.reach().example(names, by)};
  };
  constexpr Leads kPlaces = kToPosition | kToCaller;
  const bool checks_comments = sight.checks_indentation && use.is_by_gcc();
  if (sight.weakest == Question::tokens_in_place || checks_comments || use.has_unknown_names() || use.asks_callers() ||
      (leads & kPlaces) != 0)
    return in_place(kPlaces);
  if (whole.prints_types && use.may_begin_unnamed(file)) return in_place(kToUnnamed);
  if (sight.weakest == Question::tokens_in_order || sight.checks_indentation) return {Question::tokens_in_order, ""};
  if ((leads & kToText) != 0) return {Question::tokens_in_order, use.reach().example(names, kToText)};
  if ((whole.spells_macros && has_long_macro(names)) || defines_twice(names, use))
    return {Question::tokens_in_order, ""};
  return {Question::tokens, ""};
}

}  // namespace

SourceQuestion question_about(const ReadFile& file, const SourceUse& use, const Sight& sight) {
  return question_about(file, use, sight, Whole(use, sight));
}

void ask_about_tokens(const SourceUse& use, const Sight& sight, std::vector<Observation>& observations) {
  if (sight.weakest == Question::content) return;
  const Whole whole(use, sight);
  for (const ReadFile& file : use.files())
    observations[file.observation].question = question_about(file, use, sight, whole).question;
}

void ask_about_macros(const SourceUse& use, const Sight& sight, const RunContext& from,
                      std::vector<Observation>& observations) {
  if (!from.leaves_out_macros || sight.macros == Sight::Macros::none || sight.macros == Sight::Macros::unread) return;
  if (sight.macros == Sight::Macros::every || use.has_unknown_names()) {
    observations.push_back({Question::all_macros, ""});
    return;
  }
  std::set<std::string> names;
  for (const Macro& macro : from.macros) names.insert(macro.name);
  std::string list;
  for (const std::string& name : names) {
    if (use.reach().may_occur(name)) observations.push_back({Question::macro, name});
    list += (list.empty() ? "" : " ") + name;
  }
  observations.push_back({Question::further_macros, list});
}

}  // namespace hipcache::inputs
