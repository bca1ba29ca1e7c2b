#include "inputs/sources/source_questions.h"

#include <algorithm>
#include <set>

#include "hipcache/base/files.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {
namespace {

bool may_print_types(const SourceUse& use, const Sight& sight) {
  return sight.shows_places_of_types ||
         (!use.is_by_gcc() && (use.leads_of_project() & (kToTypes | kToTypesOfProject)) != 0);
}

std::string name_of(const std::string& shown, const RunContext& from) {
  return normal_path(join_path(from.working_directory, shown));
}

// A file in which a message shows a place and that was not read under that name.
std::string unread_among_shown(const SourceUse& use, const Sight& sight, const RunContext& from) {
  for (const std::string& shown : sight.shown_files) {
    const std::string path = name_of(shown, from);
    const auto is_it = [&](const ReadFile& file) { return normal_path(file.path) == path; };
    if (std::none_of(use.files().begin(), use.files().end(), is_it)) return shown;
  }
  return "";
}

// Why no question of the compile may be weaker than `content`; "" if some may.
std::string strict_by(const SourceUse& use, const Sight& sight, const RunContext& from) {
  if (sight.weakest == Question::content) return sight.because;
  if (use.reads_options()) return "a file of options was read";
  if (use.has_unknown_names()) return use.unknown_by();
  if (!use.unjudged().empty()) return use.unjudged();
  if (const std::string name = unread_among_shown(use, sight, from); !name.empty())
    return "the messages name " + name + ", which was not read by that name";
  for (const ReadSource& source : use.sources())
    if (source.names->differs_by_language && !sight.is_cxx && !source.is_installed)
      return source.path + " has raw strings or digit separators";
  return "";
}

// What of the whole compile counts for each of its files.
struct Whole {
  Whole(const SourceUse& use, const Sight& sight, const RunContext& from)
      : strict_by(inputs::strict_by(use, sight, from)),
        is_strict(sight.weakest == Question::content || !strict_by.empty()),
        prints_types(may_print_types(use, sight)) {}
  std::string strict_by;
  bool is_strict;
  bool prints_types;
};

// The compiler may say the name in other words than its place: "(lambda at a.h:3:4)".
bool is_named(const ReadFile& file, const Sight& sight) {
  return sight.messages.find(base_name(file.path)) != std::string::npos;
}

SourceQuestion question_about(const ReadFile& file, const SourceUse& use, const Sight& sight, const Whole& whole) {
  if (!file.is_text() || file.is_own_of_toolchain) return {};
  if (whole.is_strict) return {Question::content, whole.strict_by};
  const ReadSource& source = use.sources()[file.source];
  if (source.is_installed || !is_named_as_source(file.path)) return {};
  if (is_named(file, sight)) return {Question::content, "the messages show lines of " + file.path};
  const SourceNames& names = *source.names;
  const Leads leads = use.leads(file);
  const auto asked = [&](Question question, Leads by) {
    return SourceQuestion{question, std::string(use.reach().example(names, by))};
  };
  constexpr Leads kPlaces = kToPosition | kToCaller;
  if (sight.weakest == Question::tokens_in_place || use.asks_callers() || (leads & kPlaces) != 0)
    return asked(Question::tokens_in_place, kPlaces);
  if (whole.prints_types && use.may_begin_unnamed(file)) return asked(Question::tokens_in_place, kToUnnamed);
  if (sight.weakest == Question::tokens_in_order || sight.checks_indentation) return {Question::tokens_in_order, ""};
  if ((leads & (kToText | kToHead)) != 0) return asked(Question::tokens_in_order, kToText | kToHead);
  return {Question::tokens, ""};
}

}  // namespace

SourceQuestion question_about(const ReadFile& file, const SourceUse& use, const Sight& sight, const RunContext& from) {
  return question_about(file, use, sight, Whole(use, sight, from));
}

std::string ask_about_tokens(const SourceUse& use, const Sight& sight, const RunContext& from,
                             std::vector<Observation>& observations) {
  const Whole whole(use, sight, from);
  if (whole.is_strict) return whole.strict_by;
  std::string shown;
  for (const ReadFile& file : use.files()) {
    const SourceQuestion asked = question_about(file, use, sight, whole);
    observations[file.observation].question = asked.question;
    if (asked.question == Question::content && shown.empty()) shown = asked.because;
  }
  return shown;
}

void ask_about_macros(const SourceUse& use, const Sight& sight, const RunContext& from,
                      std::vector<Observation>& observations) {
  if (!from.leaves_out_macros || sight.macros == Sight::Macros::none || sight.macros == Sight::Macros::unread) return;
  const Whole whole(use, sight, from);
  const bool is_by_files = sight.weakest != Question::content && whole.is_strict;
  if (sight.macros == Sight::Macros::every || use.has_unknown_names() || !use.unjudged().empty() || is_by_files) {
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
