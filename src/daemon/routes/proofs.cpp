#include "daemon/routes/proofs.h"

#include <string>
#include <utility>

#include "daemon/request/step_context.h"
#include "daemon/request/temporary_paths.h"
#include "daemon/steps/doubts.h"
#include "daemon/steps/step_graph.h"
#include "daemon/steps/step_scheduler.h"

namespace hipcache::daemon {
namespace {

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

// Why the run is no proof, or "".
std::string failure_of(const StepState& proof, const ProofKind& kind, const StepContext& context) {
  if (!proof.succeeded()) return "the proof does not compile: " + proof.result.stderr_text;
  if (!proof.result.refusal.empty()) return "the proof cannot be stored: " + proof.result.refusal;
  return holds(proof, kind, context.directory.path(), context.services) ? "" : kind.failure;
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
    const std::string failure = failure_of(*proof, kind, in_directory);
    if (!failure.empty()) doubt(*proof->spec().planned, failure, context);
  }
  return ran;
}

}  // namespace

std::optional<bool> known_proof(const hip::Step& proof, const ProofKind& kind, const RequestContext& context) {
  StepState state(spec_to_look_up(proof, context.request));
  if (context.services.doubts.has(state.spec().key.value)) return false;
  std::optional<cache::Hit> hit = context.look_up(state.spec().key, state.spec().suffices());
  if (!hit) return std::nullopt;
  state.take(std::move(*hit));
  return holds(state, kind, kStoredDirectory, context.services);
}

std::vector<bool> prove(const std::vector<const hip::Step*>& proofs, const ProofKind& kind,
                        const RequestContext& context) {
  std::vector<bool> proved(proofs.size(), false);
  std::vector<hip::Step> unknown;
  std::vector<std::size_t> places;
  for (std::size_t index = 0; index < proofs.size(); ++index) {
    const std::optional<bool> known = known_proof(*proofs[index], kind, context);
    if (known) {
      (context.services.counters.*kind.count)(true);
      proved[index] = *known;
    } else if (!context.request.settings.readonly) {
      unknown.push_back(*proofs[index]);
      places.push_back(index);
    }
  }
  if (unknown.empty()) return proved;
  if (Status ran = run(unknown, kind, context); !ran) {
    for (const hip::Step& proof : unknown) doubt(proof, ran.error().message, context);
    return proved;
  }
  for (std::size_t index = 0; index < unknown.size(); ++index)
    proved[places[index]] = known_proof(unknown[index], kind, context).value_or(false);
  return proved;
}

}  // namespace hipcache::daemon
