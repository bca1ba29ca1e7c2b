#include "inputs/observe/root_questions.h"

#include "hipcache/inputs/mentions.h"
#include "inputs/sources/source_use.h"

namespace hipcache::inputs {

namespace {

// The roots that a process may have known: from the command, from absolute names that it looked at, from the values of
// variables, and from its working directory. Where an archive was unpacked is in no hidden name: only inputs name it,
// and it is no root of a command with an option that hides them (daemon/request/request_roots.h).
RootMask known_roots(const RootReferences& ties, const RunContext& from, const std::vector<Observation>& observations) {
  RootMask known = ties.named;
  for (const Observation& observation : observations) {
    if (asks_about_path(observation.question) && observation.name.starts_with('/'))
      known |= from.roots.shown_in(observation.name);
    if (observation.question == Question::variable)
      if (const char* value = from.variable(observation.name)) known |= from.roots.shown_in(value);
    if (observation.question == Question::environment && observation.name.empty()) known |= from.roots.every();
    if (observation.question == Question::working_directory)
      known |= from.roots.shown_in(from.working_directory) | from.roots.shown_in(from.logical_directory());
  }
  for (const Root& root : from.roots.all())
    if (root.mark.starts_with(kUnpackedMark)) known &= ~from.roots.mask_of(root);
  return known;
}

}  // namespace

RootTies add_root_questions(const RootReferences& ties, const SourceUse& use, const RunContext& from,
                            bool only_compilers, FileSystemState& file_system, std::vector<Observation>& observations) {
  if (from.roots.empty()) return {};
  const Mentions mentions = mentions_in(use, observations, from, file_system);
  RootMask shown = ties.shown | (only_compilers ? mentions.named : mentions.shown);
  if (ties.hidden) shown |= known_roots(ties, from, observations);
  // A script or a file of options may have set the width of messages.
  if (!only_compilers || use.reads_options()) shown |= ties.spelled_in_messages;
  RootMask placed = ties.placed;
  const RootMask by_others = shown | placed;
  RootTies found;
  for (const OwnName& own : mentions.own_names) {
    if (!own.is_mapped) {
      shown |= own.root;
      continue;
    }
    if ((ties.own_names_mapped & own.root) != 0) continue;
    if (found.asks_own_name.empty()) found.asks_own_name = own.where;
    ((ties.may_be_placed & own.root) != 0 ? placed : shown) |= own.root;
  }
  for (const Root* root : from.roots.among(shown | placed))
    observations.push_back(
        {(shown & from.roots.mask_of(*root)) != 0 ? Question::root : Question::root_place, root->mark});
  for (const Root* root : from.roots.among(ties.spelled & ~shown))
    observations.push_back({Question::root, root->mark + kCalled});
  found.by_names = (shown | placed) & ~by_others;
  return found;
}

}  // namespace hipcache::inputs
