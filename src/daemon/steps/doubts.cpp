#include "daemon/steps/doubts.h"

#include "daemon/request/keys.h"
#include "daemon/request/step_kinds.h"
#include "daemon/request/temporary_paths.h"
#include "daemon/steps/step_graph.h"

namespace hipcache::daemon {
namespace {

Digest key_of(const hip::Step& step, const Request& request) { return step_key(request, step, {}).value; }

}  // namespace

bool is_doubted(const hip::Step& step, const Request& request, const Services& services) {
  return services.doubts.has(key_of(step, request));
}

void doubt(const hip::Step& step, const std::string& why, const Request& request, const Services& services) {
  services.doubts.add(key_of(step, request));
  services.log.info(request.invocation.object + ": " + traits_of(step.kind).doubted + why);
}

void refute(const hip::Step& proof, const std::string& why, const Request& request, const Services& services,
            store::Lease& lease) {
  const StepState work = work_for(proof, {}, request, kStoredDirectory);
  services.doubts.add(work.key.value);
  std::optional<cache::Hit> hit = services.actions.look_up(work.key, work.suffices(), request.from, lease);
  if (!hit || request.settings.readonly) return;
  const Result<Digest> refutation = services.store.put_blob(why);
  if (!refutation) return services.log.error("cannot store a refutation: " + refutation.error().message);
  lease.add(*refutation);
  for (cache::Output& output : hit->result.outputs) {
    if (output.name != work.outputs[1].role) continue;
    output.blob = *refutation;
    output.size = why.size();
  }
  if (Status recorded = services.actions.record(work.key, hit->witnessed(), hit->result); !recorded)
    services.log.error("cannot record a refutation: " + recorded.error().message);
}

}  // namespace hipcache::daemon
