#include "daemon/host_apart.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "daemon/keys.h"
#include "daemon/made.h"
#include "daemon/passage_names.h"
#include "hipcache/plan/fatbin_splice.h"

namespace hipcache::daemon {
namespace {

bool compare(const StepWork& work, const std::string& directory, store::Store& store) {
  const Result<std::string> with_fatbin = read_output(work, work.outputs[0], directory, store);
  const Result<std::string> with_placeholder = read_output(work, work.outputs[1], directory, store);
  return with_fatbin && with_placeholder && plan::is_proof(*with_fatbin, *with_placeholder);
}

// Bytes of these digests compare the same way every time. That they are what this compiler makes is another question,
// which was asked by looking the step up, or by running it.
bool holds(const StepWork& work, const std::string& directory, const Services& services) {
  const action::Output* with_fatbin = work.made(work.outputs[0]);
  const action::Output* with_placeholder = work.made(work.outputs[1]);
  if (with_fatbin == nullptr || with_placeholder == nullptr) return false;
  const Digest compared = Hasher("proof").field(with_fatbin->blob).field(with_placeholder->blob).finish();
  if (services.proofs.has(compared)) return true;
  if (!compare(work, directory, services.store)) return false;
  services.proofs.add(compared);
  return true;
}

// Nothing if it is neither stored nor doubted.
std::optional<bool> known_proof(const plan::Step& proof, const Request& request, const Services& services,
                                store::Lease& lease) {
  StepWork work = work_for(proof, {}, request, kStoredDirectory);
  if (services.doubts.has(work.key.value)) return false;
  std::optional<action::Hit> hit = services.actions.look_up(work.key, work.suffices(), request.from, lease);
  if (!hit) return std::nullopt;
  work.hit = true;
  work.result = std::move(hit->result);
  return holds(work, kStoredDirectory, services);
}

// Whether the compiler was seen to do what is asked of it, and that will be known the next time.
Status prove(const plan::Step& proof, protocol::Channel& channel, const Request& request, const Services& services,
             store::Lease& lease) {
  const Result<RequestDirectory> directory =
      RequestDirectory::make(services.temporary_root, users_temporary_directory(request));
  if (!directory) return directory.error();
  const std::vector<plan::Step> steps = {proof};
  StepRunner runner(channel, request, services, *directory, lease);
  StepGraph graph(steps, request, *directory, services, nullptr);
  if (Status ran = graph.run(runner); !ran) return ran;
  const StepWork& work = *graph.steps().front();
  if (!work.succeeded()) return Error{"the proof does not compile: " + work.result.stderr_text};
  if (!work.refusal.empty()) return Error{"the proof cannot be stored: " + work.refusal};
  if (!holds(work, directory->path(), services)) return Error{"the compiler's code depends on the fatbin"};
  return done();
}

// Of a proof, or of a host apart: its key stands for it.
bool is_doubted(const plan::Step& step, const Request& request, const Services& services) {
  return services.doubts.has(work_for(step, {}, request, kStoredDirectory).key.value);
}

void doubt(const plan::Step& step, const std::string& why, const Request& request, const Services& services) {
  services.doubts.add(work_for(step, {}, request, kStoredDirectory).key.value);
  services.log.info(request.invocation.object + ": the host is compiled after the devices: " + why);
}

const plan::Step& host_of(const std::vector<plan::Step>& steps) {
  return *std::find_if(steps.begin(), steps.end(),
                       [](const plan::Step& step) { return step.kind == plan::StepKind::host; });
}

// What the user gets in the place of what the step made, unless that is what he gets.
Status fill(StepWork& step, const plan::StepOutput& file, const StepGraph& graph, const RequestDirectory& directory,
            const Services& services, store::Lease& lease) {
  const std::optional<GivenInput> fatbin = graph.maker_of(file.fatbin);
  if (!fatbin || fatbin->output == nullptr) return Error{"no step has made " + file.fatbin};
  const Result<std::string> object = read_output(step, file, directory.path(), services.store);
  if (!object) return object.error();
  if (plan::needs_no_fatbin(*object)) return done();
  const Result<std::string> bytes = read_output(*fatbin->step, *fatbin->file, directory.path(), services.store);
  if (!bytes) return bytes.error();
  Result<std::string> filled = plan::splice_fatbin(*object, *bytes);
  if (!filled) return filled.error();
  take_filled(step, file, fatbin->output->blob, std::move(*filled), lease);
  return done();
}

}  // namespace

const std::vector<plan::Step>& choose_steps(const plan::Plan& plan, protocol::Channel& channel, const Request& request,
                                            const Services& services, store::Lease& lease) {
  if (!plan.apart || is_doubted(host_of(plan.apart->steps), request, services)) return plan.steps;
  const plan::Step& proof = plan.apart->proof;
  const std::optional<bool> known = known_proof(proof, request, services, lease);
  if (known) services.counters.proof(true);
  if (known == false) return plan.steps;
  if (!known) {
    if (request.settings.readonly) return plan.steps;  // it would be run for every compile
    services.counters.proof(false);
    if (Status proved = prove(proof, channel, request, services, lease); !proved) {
      doubt(proof, proved.error().message, request, services);
      return plan.steps;
    }
  }
  return plan.apart->steps;
}

void put_host_apart_if_proved(plan::Plan& plan, const Request& request, const Services& services, store::Lease& lease) {
  if (!plan.apart || is_doubted(host_of(plan.apart->steps), request, services)) return;
  if (known_proof(plan.apart->proof, request, services, lease).value_or(false)) plan.steps = plan.apart->steps;
}

Status fill_placeholders(StepGraph& graph, StepRunner& runner, const plan::Plan& plan, const Request& request,
                         const RequestDirectory& directory, const Services& services, store::Lease& lease) {
  if (graph.failed() != nullptr) return done();
  for (std::size_t index = 0; index < graph.steps().size(); ++index) {
    StepWork& step = *graph.steps()[index];
    for (const plan::StepOutput& file : step.outputs) {
      if (file.fatbin.empty()) continue;
      const Status filled = fill(step, file, graph, directory, services, lease);
      if (filled) continue;
      doubt(graph.plan_of(index), filled.error().message, request, services);
      return graph.run_instead(index, host_of(plan.steps), runner);
    }
  }
  return done();
}

}  // namespace hipcache::daemon
