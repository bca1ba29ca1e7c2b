#include "daemon/steps/doubts.h"

#include <optional>

#include "daemon/request/keys.h"
#include "daemon/request/step_kinds.h"
#include "daemon/steps/step_spec.h"

namespace hipcache::daemon {
namespace {

Digest key_of(const hip::Step& step, const Request& request) { return step_key(request, step, {}).value; }

}  // namespace

bool is_doubted(const hip::Step& step, const RequestContext& context) {
  return context.services.doubts.has(key_of(step, context.request));
}

void doubt(const hip::Step& step, const std::string& why, const RequestContext& context) {
  context.services.doubts.add(key_of(step, context.request));
  context.services.log.info(context.of_object(traits_of(step.kind).doubted + why));
}

void refute(const hip::Step& proof, const std::string& why, const RequestContext& context) {
  const Services& services = context.services;
  const StepSpec spec = spec_to_look_up(proof, context.request);
  services.doubts.add(spec.key.value);
  std::optional<cache::Hit> hit = context.look_up(spec.key, spec.suffices());
  if (!hit || context.request.settings.readonly) return;
  const Result<Digest> refutation = services.store.put_blob(why);
  if (!refutation) return services.log.error("cannot store a refutation: " + refutation.error().message);
  context.lease.add(*refutation);
  const cache::Hit found = *hit;
  for (cache::Output& output : hit->result.outputs) {
    if (output.name != spec.outputs[1].role) continue;
    output.blob = *refutation;
    output.size = why.size();
  }
  if (Status recorded = services.actions.replace(spec.key, found, hit->result); !recorded)
    services.log.error("cannot record a refutation: " + recorded.error().message);
}

}  // namespace hipcache::daemon
