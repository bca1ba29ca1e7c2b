#include "daemon/explain/ties.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/explain/input_ties.h"
#include "daemon/request/keys.h"
#include "daemon/request/processor.h"
#include "daemon/request/request.h"
#include "daemon/step/step.h"
#include "hipcache/base/step_name.h"
#include "hipcache/cache/exchange.h"

namespace hipcache::daemon {

namespace {

using Words = std::vector<std::string>;
using protocol::TiedBy;

// The ties of a step's key: what its command says that another machine or directory says otherwise.

bool is_typed(const std::string& word, const Request& request) {
  const Words& typed = request.invocation.argv;
  return std::any_of(typed.begin(), typed.end(), [&](const std::string& one) { return one.find(word) != one.npos; });
}

// The arguments that are part of the key. The probe's are those of the user, in this directory.
std::vector<Words> keyed_arguments(const StepSpec& spec, const Request& request) {
  std::vector<Words> keyed;
  if (spec.planned != nullptr)
    for (const Words& argv : spec.planned->keyed) keyed.push_back(portable_step(argv, request.from));
  else if (!spec.prints_plan)
    keyed.push_back(portable(opaque_arguments(request.invocation), request.from));
  return keyed;
}

// In a portable argument a root stands as a token. Where its path is left, the text counts (portable()).
void add_roots_in(const std::string& word, const Request& request, TieList& ties) {
  const std::vector<Root>& roots = request.from.roots.all();
  const RootMask shown = request.from.roots.shown_in(word);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if ((shown & RootMask{1} << i) == 0) continue;
    if (word == roots[i].path)
      ties.add(TiedBy::joined_path, roots[i].path);
    else
      ties.add(TiedBy::argument, word, roots[i].path);
  }
}

// The driver may have made an argument of a variable, whose value is not shown.
void add_directories_in(const std::string& word, const Request& request, TieList& ties) {
  const char* home = request.from.variable("HOME");
  for (const std::string& directory :
       {request.from.working_directory, request.from.logical_directory(), std::string(home == nullptr ? "" : home)}) {
    if (owner_of(directory) != PlaceOwner::user || !mentions_directory(word, directory)) continue;
    return ties.add(TiedBy::absolute_path, is_typed(word, request) ? word : directory);
  }
}

void add_programs(const StepSpec& spec, const Request& request, TieList& ties) {
  for (const protocol::Command& command : spec.commands) {
    const std::string program = request.from.roots.portable_path(command.program);
    if (program.starts_with('/') && owner_of(program) == PlaceOwner::user) ties.add(TiedBy::absolute_path, program);
  }
}

// Of a planned compile, the driver asks, and the host's compile gets what it found.
void add_processor(const StepSpec& spec, const Request& request, TieList& ties) {
  if (spec.planned != nullptr && spec.label != kHostStep) return;
  if (request.invocation.opaque.asks_processor) return ties.add(TiedBy::processor, request.invocation.argv[0]);
  for (const std::string& argument : request.invocation.expanded)
    if (is_native_option(argument)) ties.add(TiedBy::processor, argument);
  const std::string_view variable = variable_that_asks_processor(request.from.environment);
  if (!variable.empty()) ties.add(TiedBy::processor, std::string(variable));
}

void add_command_ties(const StepSpec& spec, const Request& request, TieList& ties) {
  add_processor(spec, request, ties);
  add_programs(spec, request, ties);
  for (const Words& argv : keyed_arguments(spec, request))
    for (const std::string& word : argv)
      if (request.from.roots.shown_in(word) != 0)
        add_roots_in(word, request, ties);
      else
        add_directories_in(word, request, ties);
}

}  // namespace

std::vector<protocol::Tie> ties_of(const StepSpec& spec, const inputs::PathSet* set,
                                   const std::vector<cache::Output>& outputs, const RequestContext& context) {
  if (set == nullptr) return {};
  TieList ties;
  add_command_ties(spec, context.request, ties);
  add_input_ties(*set, spec, context, ties);
  for (const cache::Output& output : outputs)
    if (!output.place.empty() && !cache::is_place_of_request(output.place))
      ties.add(protocol::TiedBy::output_place, context.request.from.roots.local_text(output.place));
  if (spec.prints_plan) ties.keep_ties_to_machine();
  return ties.take_ties();
}

}  // namespace hipcache::daemon
