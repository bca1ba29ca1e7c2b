#include "inputs/observe/root_questions.h"

#include "hipcache/inputs/mentions.h"

namespace hipcache::inputs {
namespace {

// The roots that a process may have known: from the command, from absolute names that it looked at, from the values of
// variables, and from its working directory.
RootMask known_roots(const RootReferences& ties, const RunContext& from, const std::vector<Observation>& observations) {
  RootMask known = ties.named;
  for (const Observation& observation : observations) {
    if (asks_about_path(observation.question) && observation.name.starts_with('/'))
      known |= from.roots.shown_in(observation.name);
    if (observation.question == Question::variable)
      if (const char* value = from.variable(observation.name)) known |= from.roots.shown_in(value);
    if (observation.question == Question::environment) known |= from.roots.every();
    if (observation.question == Question::working_directory)
      known |= from.roots.shown_in(from.working_directory) | from.roots.shown_in(from.logical_directory());
  }
  return known;
}

}  // namespace

RootTies add_root_questions(const RootReferences& ties, const SourceUse& use, const RunContext& from,
                            bool only_compilers, FileSystemState& file_system, std::vector<Observation>& observations) {
  if (from.roots.empty()) return {};
  const Mentions mentions = mentions_in(use, observations, from, file_system);
  RootMask shown = ties.shown | (only_compilers ? mentions.named : mentions.shown);
  if (ties.hidden) shown |= known_roots(ties, from, observations);
  RootMask placed = ties.placed;
  const RootMask by_others = shown | placed;
  RootTies found;
  for (const OwnName& own : mentions.own_names) {
    if (!own.is_mapped) {
      shown |= own.root;
      continue;
    }
    if ((ties.own_names_mapped & own.root) != 0) continue;
    if (found.asks_own_name.empty()) found.asks_own_name = own.path;
    ((ties.may_be_placed & own.root) != 0 ? placed : shown) |= own.root;
  }
  for (std::size_t i = 0; i < from.roots.all().size(); ++i) {
    const RootMask root = RootMask{1} << i;
    if (((shown | placed) & root) == 0) continue;
    observations.push_back({(shown & root) != 0 ? Question::root : Question::root_place, from.roots.all()[i].mark});
  }
  found.by_names = (shown | placed) & ~by_others;
  return found;
}

}  // namespace hipcache::inputs
