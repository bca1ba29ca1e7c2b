#include "daemon/serve/request_result.h"

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/request/output_places.h"
#include "daemon/request/request.h"
#include "daemon/request/step_kinds.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/plain_run.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/step_name.h"

namespace hipcache::daemon {

namespace {

using compiler::Uncacheable;

// A file that a step left in the directory unexpectedly.
std::optional<inputs::Refusal> unexpected_file(const StepGraph& graph, const RequestDirectory& directory) {
  std::set<std::string> known;
  for (const auto& step : graph.steps()) add_files_of(step->spec(), directory, known);
  for (const auto& step : graph.replaced()) add_files_of(step->spec(), directory, known);
  return directory.lost_file(known);
}

// A file that a step wrote elsewhere. The compiler by itself runs its jobs one after the other, so the last one's file
// would remain.
std::optional<inputs::Refusal> file_elsewhere(const StepGraph& graph) {
  for (const auto& step : graph.steps())
    if (!step->hit && step->result.refusal.reason == Reason::writes_elsewhere)
      return inputs::Refusal{Reason::writes_more_than_known, step->result.refusal.detail};
  return std::nullopt;
}

// The depfile is written at the end, so no step may have read it.
bool reads_depfile(const StepGraph& graph, const Request& request) {
  if (!request.invocation.depfile) return false;
  const std::string depfile = join_path(request.from.working_directory, *request.invocation.depfile);
  const auto is_depfile = [&](const inputs::Observation& seen) {
    return inputs::asks_about_content(seen.question) && base_name(seen.name) == base_name(depfile) &&
           are_one_file(depfile, request.from.path_of(seen.name));
  };
  return std::any_of(graph.steps().begin(), graph.steps().end(), [&](const auto& step) {
    if (!step->recordable()) return false;
    const std::vector<inputs::Observation>& seen = step->result.witnessed.set->observations();
    return std::any_of(seen.begin(), seen.end(), is_depfile);
  });
}

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
    context.services.counters.bundled(text_of(Reason::not_as_announced), what);
    context.services.log.info(what + " ran " + std::to_string(prepared - answered) +
                              " back ends again: the linker wrapper did something else than it had said");
  }
}

// Adds the user's files of a step, with their places.
void add_placed(const StepState& step, const StepGraph& graph, const Roots& roots,
                std::vector<cache::Output>& outputs) {
  for (const hip::StepOutput& file : step.spec().outputs) {
    const cache::Output* made = step.given_to_user(file);
    if (file.place.empty() || made == nullptr || is_replaced(file, step, graph)) continue;
    cache::Output& placed = outputs.emplace_back(*made);
    placed.place = roots.portable_path(file.place);
    placed.in_place = file.beside;
  }
}

// The headers with which a step was made, now or when its result was stored.
void add_preambles(const StepState& step, cache::ActionResult& whole) {
  std::vector<Digest> used = step.result.preambles;
  if (step.preamble) used.push_back(step.preamble->header);
  for (const Digest& header : used)
    if (std::find(whole.preambles.begin(), whole.preambles.end(), header) == whole.preambles.end())
      whole.preambles.push_back(header);
}

bool has_at(const cache::ActionResult& result, const std::string& path, const Roots& roots) {
  const std::string place = roots.portable_path(path);
  return std::any_of(result.outputs.begin(), result.outputs.end(),
                     [&](const cache::Output& output) { return output.place == place; });
}

}  // namespace

std::optional<Uncacheable> unusual_run(const StepGraph& graph, const StepContext& context) {
  for (const auto& step : graph.steps())
    if (const auto& why = step->result.unusable) return Uncacheable{why->reason, why->detail};
  if (const auto why = unexpected_file(graph, context.directory)) return Uncacheable{why->reason, why->detail};
  if (const auto why = file_elsewhere(graph)) return Uncacheable{why->reason, why->detail};
  if (reads_depfile(graph, context.request))
    return Uncacheable{Reason::depfile_is_another_file, *context.request.invocation.depfile};
  return std::nullopt;
}

bool loses_files(const Uncacheable& why, const StepState& step) {
  const bool is_lost = why.reason == Reason::writes_more_than_known || why.reason == Reason::names_temporary_files;
  return is_lost && step.succeeded() && !holds_crash_report(step.result.stderr_text);
}

bool loses_files(const Uncacheable& why, const StepGraph& graph) {
  return std::all_of(graph.steps().begin(), graph.steps().end(),
                     [&](const auto& step) { return loses_files(why, *step); });
}

void count_steps(const StepGraph& graph, const RequestContext& context) {
  stats::Counters& counters = context.services.counters;
  stats::HitRun rated;
  for (const auto& step : graph.steps()) {
    if (!step->ended) continue;
    for (const std::string& name : counted_names(*step->spec().planned)) {
      count_step(name, step->hit, counters);
      if (is_rated_step(name)) ++(step->hit ? rated.hit : rated.run);
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
  bool any_found = false, any_ran = false;
  for (const auto& step : graph.steps())
    if (!only_bundles(*step->spec().planned)) (step->hit ? any_found : any_ran) = true;
  return stats::outcome_of_steps(any_found, any_ran);
}

bool is_replaced(const hip::StepOutput& file, const StepState& step, const StepGraph& graph) {
  if (!file.may_be_missing) return false;
  const auto& steps = graph.steps();
  const auto is_step = [&](const auto& one) { return one.get() == &step; };
  const auto writes_it = [&](const hip::StepOutput& output) { return output.place == file.place; };
  return std::any_of(std::find_if(steps.begin(), steps.end(), is_step) + 1, steps.end(), [&](const auto& later) {
    const std::vector<hip::StepOutput>& outputs = later->spec().outputs;
    const auto same = std::find_if(outputs.begin(), outputs.end(), writes_it);
    return same != outputs.end() && later->given_to_user(*same) != nullptr;
  });
}

cache::ActionResult request_result(const StepGraph& graph, const std::string& driver_stderr, const Roots& roots) {
  cache::ActionResult whole;
  whole.stderr_text = Roots::escaped(driver_stderr);
  whole.processor_us = 0;
  for (const auto& step : graph.steps()) {
    add_placed(*step, graph, roots, whole.outputs);
    whole.stdout_text += step->result.stdout_text;
    whole.stderr_text += step->result.stderr_text;
    whole.duration_us += step->result.duration_us;
    *whole.processor_us += step->result.processor_time();
    add_preambles(*step, whole);
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
    if (!invocation.driver.names_outputs) return has_at(stored, invocation.object, request.from.roots);
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
    if (step->recordable() && !step->result.is_refused()) parts.push_back(step->result.witnessed);
  cache::Examined examined = context.services.actions.examine(parts, cache::Whole::request, context.request.from);
  if (parts.size() != graph.steps().size() + probes.size()) {
    examined.agrees = false;
  } else if (!examined.agrees) {
    const std::string what = context.of_object("request: " + examined.changed);
    context.services.log.info(what + " changed while it ran; the request is not stored");
    context.services.counters.not_stored(text_of(Reason::input_changed), what);
  }
  return examined;
}

std::optional<cache::Observed> record_request(const cache::ActionResult& whole, cache::Examined examined,
                                              const StepGraph& graph, const RequestContext& context) {
  const Services& services = context.services;
  for (const auto& step : graph.steps()) {
    store_filled(*step, context);
    examined.agrees = examined.agrees && !step->result.is_refused();
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
