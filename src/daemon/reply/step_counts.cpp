#include "daemon/reply/step_counts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/request/reason.h"
#include "daemon/request/step_kinds.h"

namespace hipcache::daemon {
namespace {

// Back ends run again if the linker wrapper started another command than it had announced, or on other bytes.
void note_not_answered(const StepGraph& graph, const RequestContext& context) {
  const auto prepared =
      static_cast<std::size_t>(std::count_if(graph.steps().begin(), graph.steps().end(), [](const auto& step) {
        return step->spec().is_tentative && !step->result.outputs.empty();
      }));
  for (const auto& step : graph.steps()) {
    const std::vector<hip::StepFile>& files = step->spec().planned->files;
    const bool has_answers =
        std::any_of(files.begin(), files.end(), [](const auto& file) { return file.name == hip::kAnswers; });
    const std::size_t answered = step->result.answered;
    if (!has_answers || !step->ended || step->hit || answered >= prepared) continue;
    const std::string what = context.of_object(step->spec().label);
    context.services.counters.bundled(reason::kNotAsAnnounced, what);
    context.services.log.info(what + " ran " + std::to_string(prepared - answered) +
                              " back ends again: the linker wrapper did something else than it had said");
  }
}

// Puts code objects into one file and compiles nothing. Shared caches do not have such results.
bool only_bundles(const StepState& step) {
  const hip::Step& planned = *step.spec().planned;
  return planned.kind == hip::StepKind::bundle && !planned.starts_others;
}

}  // namespace

void count_steps(const StepGraph& graph, const RequestContext& context) {
  stats::Counters& counters = context.services.counters;
  stats::HitRun rated;
  for (const auto& step : graph.steps()) {
    if (!step->ended) continue;
    for (const std::string& name : counted_names(*step->spec().planned)) {
      count_step(name, step->hit, counters);
      if (is_rated(name)) ++(step->hit ? rated.hit : rated.run);
    }
    if (step->hit) counters.saved(step->result.duration_us, step->result.processor_time());
  }
  if (graph.failed() == nullptr) counters.rated(rated);
  // Only a host step with a deferred fatbin is ever replaced. If it was a hit, it saved nothing, so it is not counted.
  for (const auto& step : graph.replaced())
    if (!step->hit) counters.host(false);
  note_not_answered(graph, context);
}

stats::Outcome outcome_of(const StepGraph& graph) {
  std::size_t hits = 0, runs = 0;
  for (const auto& step : graph.steps())
    if (!only_bundles(*step)) ++(step->hit ? hits : runs);
  if (hits == 0) return stats::Outcome::miss;
  return runs == 0 ? stats::Outcome::hit : stats::Outcome::partial;
}

}  // namespace hipcache::daemon
