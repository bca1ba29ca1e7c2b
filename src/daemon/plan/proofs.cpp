#include "daemon/plan/proofs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/request/keys.h"
#include "daemon/request/step.h"
#include "daemon/run/output_recorder.h"
#include "daemon/shared/split_codegen_worth.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/hip/fatbin_splice.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

namespace {

// A kind of proof.
struct ProofKind {
  // Whether the step's two outputs make a proof. Deterministic in their bytes.
  bool (*compare)(std::string_view first, std::string_view second);
  void (stats::Counters::*count)(bool hit);
  const char* failure;  // the message if they do not
};

constexpr ProofKind kDeferredFatbinProofs{.compare = hip::is_deferred_fatbin_proof,
                                          .count = &stats::Counters::proof,
                                          .failure = "the compiler's code depends on the fatbin"};
constexpr ProofKind kSplitCodegenProofs{.compare = hip::is_split_codegen_proof,
                                        .count = &stats::Counters::split_codegen_proof,
                                        .failure = "the compiler makes something else in two processes"};

bool compare(const StepState& proof, const ProofKind& kind, const std::string& directory, store::Store& store) {
  const std::vector<hip::StepOutput>& outputs = proof.spec().outputs;
  const Result<std::string> first = read_output(proof, outputs[0], directory, store);
  const Result<std::string> second = read_output(proof, outputs[1], directory, store);
  return first && second && kind.compare(*first, *second);
}

// Outputs with these digests compare the same way every time, so the verdict is kept. Whether this compiler makes these
// outputs was answered by the lookup or the run.
bool holds(const StepState& proof, const ProofKind& kind, const std::string& directory, const Services& services) {
  const cache::Output* first = proof.made(proof.spec().outputs[0]);
  const cache::Output* second = proof.made(proof.spec().outputs[1]);
  if (first == nullptr || second == nullptr) return false;
  const Digest compared = Hasher(kind.failure).field(first->blob).field(second->blob).finish();
  if (services.proofs.has(compared)) return true;
  if (!compare(proof, kind, directory, services.store)) return false;
  services.proofs.add(compared);
  return true;
}

// An error if the run is no proof.
Status check(const StepState& proof, const ProofKind& kind, const StepContext& context) {
  if (!proof.succeeded()) return Error{"the proof does not compile: " + proof.result.stderr_text};
  if (proof.result.is_refused())
    return Error{"the proof cannot be stored: " + std::string(text_of(proof.result.refusal.reason))};
  return holds(proof, kind, context.directory.path(), context.services) ? done() : Error{kind.failure};
}

// A proof that did not run, because another one failed before, is neither proved nor doubted.
Status run(const std::vector<hip::Step>& proofs, const ProofKind& kind, const RequestContext& context) {
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return directory.error();
  const StepContext in_directory{context, *directory};
  StepScheduler scheduler(in_directory);
  StepGraph graph(proofs, in_directory);
  const Status ran = graph.run(scheduler);
  for (const auto& proof : graph.steps()) {
    if (!proof->ended) continue;
    (context.services.counters.*kind.count)(proof->hit);
    if (Status held = check(*proof, kind, in_directory); !held)
      doubt(*proof->spec().planned, held.error().message, context);
  }
  return ran;
}

// Whether the proof holds, by what is stored or doubted; nothing if neither says.
std::optional<bool> known_proof(const hip::Step& proof, const ProofKind& kind, const RequestContext& context) {
  StepState state(spec_to_look_up(proof, context.request));
  if (context.services.doubts.has(state.spec().key.value)) return false;
  std::optional<cache::Hit> hit = context.look_up(state.spec().key, state.spec().suffices());
  if (!hit) return std::nullopt;
  state.take(std::move(*hit));
  return holds(state, kind, kStoredDirectory, context.services);
}

// Where the proof is, or goes, among those that run. Two sources may need the same one. Nothing if another proof makes
// files of the same names: they run in one directory.
std::optional<std::size_t> place_among(const std::vector<hip::Step>& proofs, const hip::Step& proof) {
  const auto same = std::find_if(proofs.begin(), proofs.end(),
                                 [&](const hip::Step& one) { return one.outputs.front() == proof.outputs.front(); });
  if (same == proofs.end()) return proofs.size();
  return same->keyed == proof.keyed ? std::optional(static_cast<std::size_t>(same - proofs.begin())) : std::nullopt;
}

// Whether each proof holds. The client runs unknown proofs in parallel, unless the cache is read-only: then they would
// run again for every compile.
std::vector<bool> prove(const std::vector<const hip::Step*>& proofs, const ProofKind& kind,
                        const RequestContext& context) {
  std::vector<bool> proved(proofs.size(), false);
  std::vector<hip::Step> unknown;
  std::vector<std::size_t> places, made_by;
  for (std::size_t index = 0; index < proofs.size(); ++index) {
    const std::optional<bool> known = known_proof(*proofs[index], kind, context);
    if (known) {
      (context.services.counters.*kind.count)(true);
      proved[index] = *known;
    } else if (const auto at = place_among(unknown, *proofs[index]); at && !context.request.settings.readonly) {
      if (*at == unknown.size()) unknown.push_back(*proofs[index]);
      places.push_back(index);
      made_by.push_back(*at);
    }
  }
  if (unknown.empty()) return proved;
  if (Status ran = run(unknown, kind, context); !ran) {
    for (const hip::Step& proof : unknown) doubt(proof, ran.error().message, context);
    return proved;
  }
  for (std::size_t index = 0; index < places.size(); ++index)
    proved[places[index]] = known_proof(unknown[made_by[index]], kind, context).value_or(false);
  return proved;
}

// The host step of the driver's order in the place of one with a placeholder.
const hip::Step& ordinary_host(const hip::Step& deferred, const hip::Plan& plan) {
  return *std::find_if(plan.steps.begin(), plan.steps.end(), [&](const hip::Step& step) {
    return step.kind == hip::StepKind::host && step.outputs.front().name == deferred.outputs.front().name;
  });
}

// Puts the fatbin into the step's output, unless the output needs none.
Status fill(StepState& step, const hip::StepOutput& file, const StepGraph& graph, const StepContext& context) {
  const std::string& directory = context.directory.path();
  store::Store& store = context.services.store;
  const std::optional<GivenInput> fatbin = graph.maker_of(file.fatbin);
  if (!fatbin || fatbin->output == nullptr) return Error{"no step has made " + file.fatbin};
  const Result<std::string> object = read_output(step, file, directory, store);
  if (!object) return object.error();
  if (hip::needs_no_fatbin(*object)) return done();
  const Result<std::string> bytes = read_output(*fatbin->step, *fatbin->file, directory, store);
  if (!bytes) return bytes.error();
  Result<std::string> filled = hip::splice_fatbin(*object, *bytes);
  if (!filled) return filled.error();
  take_filled(step, file, fatbin->output->blob, std::move(*filled), context.lease);
  return done();
}

// The plan has a deferred fatbin, and no host of it is known to reject one.
bool may_defer(const hip::Plan& plan, const RequestContext& context) {
  if (!plan.deferred_fatbin) return false;
  const std::vector<hip::Step>& steps = plan.deferred_fatbin->steps;
  return std::none_of(steps.begin(), steps.end(), [&](const hip::Step& step) {
    return step.kind == hip::StepKind::host && is_doubted(step, context);
  });
}

enum class Way {
  unavailable,  // the step is stored, or the cache is read-only or renewed
  as_one,
  split
};

// A step without known cost is looked up first, because only first compiles that run are counted. For others, the
// answer may spare the lookup.
Way way_of(const hip::Step& step, const RequestContext& context) {
  SplitCodegenLedger& ledger = context.services.split_codegen_ledger;
  const StepSpec spec = spec_to_look_up(step, context.request);
  const SplitCodegenCost cost = ledger.cost(spec.key);
  const auto is_stored = [&] { return context.look_up(spec.key, spec.suffices()).has_value(); };
  const auto splits = [&] { return ledger.splits_next_run(cost, cost_group_key(context.request)); };
  if (!cost.is_known() && is_stored()) return Way::unavailable;
  if (!splits()) {
    context.services.log.info(context.of_object(spec.label) + " is not split: that is not expected to pay");
    return Way::as_one;
  }
  return cost.is_known() && is_stored() ? Way::unavailable : Way::split;
}

// The steps that are to be split.
std::vector<hip::Step*> choose(std::vector<hip::Step>& steps, const RequestContext& context) {
  const config::Settings& settings = context.request.settings;
  std::vector<hip::Step*> chosen;
  for (hip::Step& step : steps) {
    if (!step.split_codegen) continue;
    const bool is_offered = !settings.readonly && !settings.recache;
    const Way way = is_offered ? way_of(step, context) : Way::unavailable;
    if (way == Way::unavailable) step.split_codegen.reset();
    if (way == Way::as_one) step.split_codegen->runs_as_one = true;
    if (way == Way::split) chosen.push_back(&step);
  }
  return chosen;
}

}  // namespace

std::vector<hip::Step>& choose_steps(hip::Plan& plan, const RequestContext& context) {
  if (!may_defer(plan, context)) return plan.steps;
  const std::vector<bool> proved = prove({&plan.deferred_fatbin->proof}, kDeferredFatbinProofs, context);
  return proved.front() ? plan.deferred_fatbin->steps : plan.steps;
}

void put_deferred_fatbin_if_proved(hip::Plan& plan, const RequestContext& context) {
  if (!may_defer(plan, context)) return;
  if (known_proof(plan.deferred_fatbin->proof, kDeferredFatbinProofs, context).value_or(false))
    plan.steps = plan.deferred_fatbin->steps;
}

Status fill_placeholders(StepGraph& graph, StepScheduler& scheduler, const hip::Plan& plan,
                         const StepContext& context) {
  for (std::size_t index = 0; index < graph.steps().size() && graph.failed() == nullptr; ++index) {
    StepState& step = *graph.steps()[index];
    for (const hip::StepOutput& file : step.spec().outputs) {
      if (file.fatbin.empty() || step.result.filled) continue;
      const Status filled = fill(step, file, graph, context);
      if (filled) continue;
      const hip::Step& deferred = *step.spec().planned;
      doubt(deferred, filled.error().message, context);
      if (Status ran = graph.run_instead(index, ordinary_host(deferred, plan), scheduler); !ran) return ran;
      break;
    }
  }
  return done();
}

void choose_codegen_splits(std::vector<hip::Step>& steps, const RequestContext& context) {
  const std::vector<hip::Step*> chosen = choose(steps, context);
  if (chosen.empty()) return;
  std::vector<const hip::Step*> proofs;
  for (const hip::Step* step : chosen) proofs.push_back(step->split_codegen->proof.get());
  const std::vector<bool> proved = prove(proofs, kSplitCodegenProofs, context);
  for (std::size_t index = 0; index < chosen.size(); ++index)
    if (!proved[index]) chosen[index]->split_codegen.reset();
}

}  // namespace hipcache::daemon
