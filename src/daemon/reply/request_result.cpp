#include "daemon/reply/request_result.h"

#include <algorithm>
#include <vector>

#include "daemon/request/reason.h"
#include "daemon/request/step_kinds.h"
#include "daemon/steps/output_recorder.h"

namespace hipcache::daemon {
namespace {

// Adds the user's files of a step, with their places.
void add_placed(const StepState& step, const Roots& roots, std::vector<cache::Output>& outputs) {
  for (const hip::StepOutput& file : step.spec().outputs) {
    const cache::Output* made = step.given_to_user(file);
    if (file.place.empty() || made == nullptr) continue;
    cache::Output& placed = outputs.emplace_back(*made);
    placed.place = roots.portable_path(file.place);
    placed.in_place = file.beside;
  }
}

bool has_at(const cache::ActionResult& result, const std::string& path, const Roots& roots) {
  const std::string place = roots.portable_path(path);
  return std::any_of(result.outputs.begin(), result.outputs.end(),
                     [&](const cache::Output& output) { return output.place == place; });
}

}  // namespace

cache::ActionResult request_result(const StepGraph& graph, const std::string& driver_stderr, const Roots& roots) {
  cache::ActionResult whole;
  whole.stderr_text = driver_stderr;
  whole.processor_us = 0;
  for (const auto& step : graph.steps()) {
    add_placed(*step, roots, whole.outputs);
    whole.stdout_text += step->result.stdout_text;
    whole.stderr_text += step->result.stderr_text;
    whole.duration_us += step->result.duration_us;
    *whole.processor_us += step->result.processor_time();
    for (std::string& name : counted_names(*step->spec().planned)) whole.steps.push_back(std::move(name));
  }
  return whole;
}

// Only the run of an opaque compile shows what it writes.
cache::Suffices suffices_for(const Request& request) {
  if (request.invocation.route == compiler::Route::is_opaque) return cache::any_result;
  return [&request](const cache::ActionResult& stored) {
    const compiler::Invocation& invocation = request.invocation;
    if (invocation.depfile && !has_at(stored, *invocation.depfile, request.from.roots)) return false;
    if (!invocation.driver_names_outputs) return has_at(stored, invocation.object, request.from.roots);
    const auto replaces = [](const cache::Output& output) { return !output.place.empty() && !output.in_place; };
    const auto count = std::count_if(stored.outputs.begin(), stored.outputs.end(), replaces);
    return static_cast<std::size_t>(count) >= std::max<std::size_t>(1, invocation.archs.size());
  };
}

std::optional<cache::Hit> stored_result(const RequestContext& context) {
  if (context.request.settings.recache) return std::nullopt;
  return context.look_up(context.key, suffices_for(context.request));
}

cache::Examined examine_request(const std::vector<const StepState*>& probes, const StepGraph& graph,
                                const RequestContext& context) {
  std::vector<inputs::Witnessed> parts;
  for (const StepState* probe : probes)
    if (probe->recordable()) parts.push_back(probe->result.witnessed);
  for (const auto& step : graph.steps())
    if (step->recordable() && step->result.refusal.empty()) parts.push_back(step->result.witnessed);
  cache::Examined examined = context.services.actions.examine(parts, cache::Whole::request, context.request.from);
  if (parts.size() != graph.steps().size() + probes.size()) {
    examined.agrees = false;
  } else if (!examined.agrees) {
    const std::string what = context.of_object("request: " + examined.changed);
    context.services.log.info(what + " changed while it ran; the request is not stored");
    context.services.counters.not_stored(reason::kInputChanged, what);
  }
  return examined;
}

std::optional<cache::Observed> record_request(const cache::ActionResult& whole, cache::Examined examined,
                                              const StepGraph& graph, const RequestContext& context) {
  const Services& services = context.services;
  for (const auto& step : graph.steps()) {
    store_filled(*step, context);
    examined.agrees = examined.agrees && step->result.refusal.empty();
  }
  Result<cache::Observed> observed = examined.agrees
                                         ? services.actions.record_union(context.key, std::move(examined), whole)
                                         : services.actions.store_union(std::move(examined));
  if (observed) return std::move(*observed);
  services.log.error(context.of_object("cannot record the request: " + observed.error().message));
  services.counters.error();
  return std::nullopt;
}

}  // namespace hipcache::daemon
