#include "daemon/routes/planner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "daemon/request/keys.h"
#include "daemon/request/reason.h"
#include "daemon/request/step_context.h"
#include "daemon/request/temporary_paths.h"
#include "daemon/shared/client_process.h"
#include "daemon/steps/step_scheduler.h"
#include "daemon/steps/wrapper.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::daemon {

using compiler::Uncacheable;

namespace {

StepSpec probe_spec(const Request& request, hip::IdFor id_for) {
  const std::vector<std::string> arguments =
      hip::probe_arguments(request.invocation, request.from.cuid, request.colour, id_for);
  StepSpec spec;
  spec.label = "probe";
  spec.key = probe_key(request, arguments);
  spec.commands = {{request.compiler, arguments}};
  spec.prints_plan = true;
  spec.by_script = request.invocation.by_script;
  return spec;
}

// The same through the wrapper, which gets the user's words alone. `told`: the probe that gave the wrapper the words
// that ask for jobs.
StepSpec spec_through(const StepState& told, std::string driver, hip::IdFor id_for, const RequestContext& context) {
  const Request& request = context.request;
  StepSpec spec = probe_spec(request, id_for);
  spec.commands = {{request.compiler, request.invocation.argv}};
  spec.through = {.driver = std::move(driver),
                  .words = hip::probe_words(request.invocation, request.from.cuid, request.colour, id_for),
                  .told = told.result.stderr_text,
                  .client = peer_process(context.channel.fd())};
  return spec;
}

Status run_probe(StepState& probe, const RequestContext& context) {
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return directory.error();
  const StepContext in_directory{context, *directory};
  Status ran = StepScheduler(in_directory).run(probe);
  if (ran) context.services.counters.probe(probe.hit);
  return ran;
}

// Reads the probe's output as a plan of the user's command. A probe through a wrapper plans the wrapper's command.
std::variant<Planned, Uncacheable> read(StepState probe, const RequestContext& context) {
  const Request& request = context.request;
  std::optional<compiler::Invocation> wrapped;
  if (const std::vector<std::string> words = words_in(probe.result.stdout_text); !words.empty()) {
    wrapped = wrapped_invocation(words, request, context.services.parser);
    if (!wrapped) return Uncacheable{reason::kWrapper, "makes another command of it"};
  }
  Result<hip::Plan> plan = hip::read_plan(probe.result.stderr_text, wrapped ? *wrapped : request.invocation,
                                          kStoredDirectory, request.from.source_date());
  if (!plan) return Uncacheable{reason::kPlanNotUnderstood, plan.error().message};
  return Planned{std::make_unique<hip::Plan>(std::move(*plan)), std::move(probe)};
}

// Runs the wrapper again, with the user's words.
std::variant<Planned, Uncacheable> ask_through(const StepState& told, hip::IdFor id_for,
                                               const RequestContext& context) {
  const std::string& compiler = context.request.compiler;
  const std::vector<std::string>& programs = told.result.ran;
  if (std::any_of(programs.begin(), programs.end(), compiler::names_other_cache))
    return Uncacheable{compiler::reason::kNotACompiler, compiler};
  std::string driver = driver_in(programs, compiler);
  if (driver.empty()) return Uncacheable{reason::kWrapper, compiler};
  StepState probe(spec_through(told, std::move(driver), id_for, context));
  if (Status ran = run_probe(probe, context); !ran) return Uncacheable{reason::kProbeFailed, ran.error().message};
  if (!probe.succeeded() || !probe.result.refusal.empty())
    return Uncacheable{reason::kWrapper, compiler + " " + probe.result.refusal_detail};
  return read(std::move(probe), context);
}

// Asks the linker wrapper for its jobs and adds them to the plan. An error if that fails.
Status ask_wrapper(Planned& planned, const RequestContext& context) {
  hip::Plan& plan = *planned.plan;
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return directory.error();
  const StepContext in_directory{context, *directory};
  StepState& probe = planned.wrapper_probe.emplace(spec_of(*plan.question, {}, context.request, directory->path()));
  if (Status ran = StepScheduler(in_directory).run(probe); !ran) return ran;
  context.services.counters.probe(probe.hit);
  if (!probe.succeeded()) return Error{"exit code " + std::to_string(probe.result.exit_code)};
  if (!probe.spec().outputs.empty()) {
    const Result<std::string> captured =
        read_output(probe, probe.spec().outputs.front(), directory->path(), context.services.store);
    return captured ? hip::take_captured(plan, *captured) : Status(captured.error());
  }
  if (!probe.result.stdout_text.empty()) return Error{"it prints to its standard output"};
  return hip::take_back_ends(plan, probe.result.stderr_text, kStoredDirectory);
}

// Without an answer, the back ends run within the bundle step, and the wrapper probe is not part of the request.
void add_back_ends(Planned& planned, const RequestContext& context) {
  if (!planned.plan->question) return;
  const Status asked = ask_wrapper(planned, context);
  if (asked) return;
  planned.wrapper_probe.reset();
  context.services.counters.bundled(reason::kWrapperNotUnderstood, asked.error().message);
  context.services.log.info(context.of_object("the back ends run within the bundle: " + asked.error().message));
}

std::variant<Planned, Uncacheable> ask(hip::IdFor id_for, const RequestContext& context) {
  StepState probe(probe_spec(context.request, id_for));
  if (Status ran = run_probe(probe, context); !ran) return Uncacheable{reason::kProbeFailed, ran.error().message};
  const StepResult& result = probe.result;
  if (!probe.succeeded()) return Uncacheable{reason::kProbeFailed, "exit code " + std::to_string(result.exit_code)};
  if (result.refusal == reason::kWrapper) return ask_through(probe, id_for, context);
  // A compiler that cannot be traced proves nothing, whatever it plans.
  if (result.refusal == reason::kUntraceable) return Uncacheable{result.refusal, context.request.compiler};
  return read(std::move(probe), context);
}

}  // namespace

std::vector<const StepState*> Planned::probes() const {
  std::vector<const StepState*> all = {&probe};
  if (wrapper_probe) all.push_back(&*wrapper_probe);
  return all;
}

std::variant<Planned, Uncacheable> obtain_plan(const RequestContext& context) {
  const compiler::Invocation& invocation = context.request.invocation;
  const bool may_ignore_id = invocation.new_driver && !invocation.user_cuid;
  // Up to clang 19 the new driver ignores -cuid=. Later versions add an id of their own to the option for the front
  // ends, and that plan is refused.
  auto planned = ask(may_ignore_id ? hip::IdFor::frontends : hip::IdFor::driver, context);
  if (may_ignore_id && !std::holds_alternative<Planned>(planned)) planned = ask(hip::IdFor::driver, context);
  if (auto* found = std::get_if<Planned>(&planned)) add_back_ends(*found, context);
  return planned;
}

}  // namespace hipcache::daemon
