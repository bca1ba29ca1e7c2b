#include "daemon/routes/proofs.h"

#include <set>
#include <utility>

#include "daemon/request/request_directory.h"
#include "daemon/request/temporary_paths.h"
#include "daemon/steps/doubts.h"
#include "daemon/steps/step_graph.h"
#include "daemon/steps/step_scheduler.h"

namespace hipcache::daemon {
namespace {

bool compare(const StepState& work, const ProofKind& kind, const std::string& directory, store::Store& store) {
  const Result<std::string> first = read_output(work, work.outputs[0], directory, store);
  const Result<std::string> second = read_output(work, work.outputs[1], directory, store);
  return first && second && kind.compare(*first, *second);
}

// Outputs with these digests compare the same way every time, so the verdict is kept. Whether this compiler makes these
// outputs was answered by the lookup or the run.
bool holds(const StepState& work, const ProofKind& kind, const std::string& directory, const Services& services) {
  const cache::Output* first = work.made(work.outputs[0]);
  const cache::Output* second = work.made(work.outputs[1]);
  if (first == nullptr || second == nullptr) return false;
  const Digest compared = Hasher(kind.failure).field(first->blob).field(second->blob).finish();
  if (services.proofs.has(compared)) return true;
  if (!compare(work, kind, directory, services.store)) return false;
  services.proofs.add(compared);
  return true;
}

// Why the run is no proof, or "".
std::string failure_of(const StepState& work, const ProofKind& kind, const RequestDirectory& directory,
                       const Services& services) {
  if (!work.succeeded()) return "the proof does not compile: " + work.result.stderr_text;
  if (!work.refusal.empty()) return "the proof cannot be stored: " + work.refusal;
  return holds(work, kind, directory.path(), services) ? "" : kind.failure;
}

// A proof that did not run, because another one failed before, is neither proved nor doubted.
Status run(const std::vector<hip::Step>& proofs, const ProofKind& kind, protocol::Channel& channel,
           const Request& request, const Services& services, store::Lease& lease) {
  const Result<RequestDirectory> directory =
      RequestDirectory::make(services.temporary_root, users_temporary_directory(request));
  if (!directory) return directory.error();
  StepScheduler runner(channel, request, services, *directory, lease);
  StepGraph graph(proofs, request, *directory, services, nullptr);
  const Status ran = graph.run(runner);
  for (std::size_t index = 0; index < graph.steps().size(); ++index) {
    const StepState& work = *graph.steps()[index];
    if (!work.ended) continue;
    (services.counters.*kind.count)(work.hit);
    const std::string failure = failure_of(work, kind, *directory, services);
    if (!failure.empty()) doubt(proofs[index], failure, request, services);
  }
  return ran;
}

}  // namespace

std::optional<bool> known_proof(const hip::Step& proof, const ProofKind& kind, const Request& request,
                                const Services& services, store::Lease& lease) {
  StepState work = work_for(proof, {}, request, kStoredDirectory);
  if (services.doubts.has(work.key.value)) return false;
  std::optional<cache::Hit> hit = services.actions.look_up(work.key, work.suffices(), request.from, lease);
  if (!hit) return std::nullopt;
  work.hit = true;
  work.result = std::move(hit->result);
  return holds(work, kind, kStoredDirectory, services);
}

std::vector<bool> prove(const std::vector<const hip::Step*>& proofs, const ProofKind& kind, protocol::Channel& channel,
                        const Request& request, const Services& services, store::Lease& lease) {
  std::vector<bool> proved(proofs.size(), false);
  std::vector<hip::Step> unknown;
  std::vector<std::size_t> places;
  for (std::size_t index = 0; index < proofs.size(); ++index) {
    const std::optional<bool> known = known_proof(*proofs[index], kind, request, services, lease);
    if (known) {
      (services.counters.*kind.count)(true);
      proved[index] = *known;
    } else if (!request.settings.readonly) {
      unknown.push_back(*proofs[index]);
      places.push_back(index);
    }
  }
  if (unknown.empty()) return proved;
  if (Status ran = run(unknown, kind, channel, request, services, lease); !ran) {
    for (const hip::Step& proof : unknown) doubt(proof, ran.error().message, request, services);
    return proved;
  }
  for (std::size_t index = 0; index < unknown.size(); ++index)
    proved[places[index]] = known_proof(unknown[index], kind, request, services, lease).value_or(false);
  return proved;
}

}  // namespace hipcache::daemon
