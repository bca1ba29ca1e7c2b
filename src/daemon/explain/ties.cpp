#include "daemon/explain/ties.h"

#include "daemon/explain/command_ties.h"
#include "daemon/explain/input_ties.h"
#include "daemon/explain/tie_list.h"
#include "hipcache/cache/remote_places.h"

namespace hipcache::daemon {

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
  return ties.take();
}

}  // namespace hipcache::daemon
