#include "daemon/routes/probe.h"

#include <utility>
#include <vector>

#include "daemon/request/keys.h"
#include "daemon/request/step_context.h"
#include "daemon/shared/client_process.h"
#include "daemon/steps/step_scheduler.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

StepSpec spec_with(const std::vector<std::string>& arguments, const Request& request) {
  StepSpec spec;
  spec.label = "probe";
  spec.key = probe_key(request, arguments);
  spec.commands = {{request.compiler, arguments}};
  spec.prints_plan = true;
  spec.by_script = request.invocation.by_script;
  return spec;
}

StepSpec spec_of_probe(hip::IdFor id_for, const Request& request) {
  return spec_with(hip::probe_arguments(request.invocation, request.from.cuid, id_for), request);
}

Result<StepState> run(StepSpec spec, const StepContext& context) {
  StepState probe(std::move(spec));
  if (Status ran = StepScheduler(context).run(probe); !ran) return ran.error();
  return probe;
}

Result<StepState> run(StepSpec spec, const RequestContext& context) {
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return directory.error();
  return run(std::move(spec), StepContext{context, *directory});
}

}  // namespace

Result<StepState> probe(hip::IdFor id_for, const RequestContext& context) {
  return run(spec_of_probe(id_for, context.request), context);
}

Result<StepState> neutral_probe(const hip::NeutralNames& names, hip::IdFor id_for, const RequestContext& context) {
  const Request& request = context.request;
  compiler::Invocation neutral = request.invocation;
  neutral.argv = names.argv();
  StepSpec spec = spec_with(hip::probe_arguments(neutral, hip::NeutralNames::cuid(), id_for), request);
  if (context.services.doubts.has(spec.key.value)) return Error{"its plan was found to be another one"};
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return directory.error();
  if (Status made = replace_file(directory->file(names.source_file()), ""); !made) return made.error();
  for (protocol::Command& command : spec.commands) command.argv = hip::in_directory(command.argv, directory->path());
  return run(std::move(spec), StepContext{context, *directory});
}

Result<StepState> probe_through(const StepState& told, std::string driver, hip::IdFor id_for,
                                const RequestContext& context) {
  const Request& request = context.request;
  StepSpec spec = spec_of_probe(id_for, request);
  spec.commands = {{request.compiler, request.invocation.argv}};
  spec.through = {.driver = std::move(driver),
                  .words = hip::probe_words(request.invocation, request.from.cuid, id_for),
                  .told = told.result.stderr_text,
                  .client = peer_process(context.channel.fd())};
  return run(std::move(spec), context);
}

}  // namespace hipcache::daemon
