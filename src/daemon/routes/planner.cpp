#include "daemon/routes/planner.h"

#include <algorithm>
#include <optional>

#include "daemon/explain/request_history.h"
#include "daemon/request/keys.h"
#include "daemon/request/reason.h"
#include "daemon/request/request_directory.h"
#include "daemon/request/temporary_paths.h"
#include "daemon/shared/client_process.h"
#include "daemon/steps/step_graph.h"
#include "daemon/steps/step_scheduler.h"
#include "daemon/steps/wrapper.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::daemon {

using compiler::Uncacheable;

namespace {

StepState probe_work(const Request& request, hip::IdFor id_for) {
  const std::vector<std::string> arguments =
      hip::probe_arguments(request.invocation, request.from.cuid, request.colour, id_for);
  StepState work;
  work.label = "probe";
  work.key = probe_key(request, arguments);
  work.commands = {{request.compiler, arguments}};
  work.prints_plan = true;
  work.by_script = request.invocation.by_script;
  return work;
}

Result<RequestDirectory> probe_directory(const Request& request, const Services& services) {
  return RequestDirectory::make(services.temporary_root, users_temporary_directory(request));
}

Status run_probe(StepState& probe, protocol::Channel& channel, const Request& request, const Services& services,
                 store::Lease& lease) {
  const Result<RequestDirectory> directory = probe_directory(request, services);
  if (!directory) return directory.error();
  if (probe.through) probe.prepare = [&] { return prepare_driver(*probe.through, *directory); };
  Status ran = StepScheduler(channel, request, services, *directory, lease).run({&probe});
  probe.prepare = nullptr;
  return ran;
}

// Reads the probe's output as a plan of the user's command. A probe through a wrapper plans the wrapper's command.
std::variant<Planned, Uncacheable> read(StepState probe, const Request& request, const Services& services) {
  std::optional<compiler::Invocation> wrapped;
  if (const std::vector<std::string> words = words_in(probe.result.stdout_text); !words.empty()) {
    wrapped = wrapped_invocation(words, request, services.parser);
    if (!wrapped) return Uncacheable{reason::kWrapper, "makes another command of it"};
  }
  Result<hip::Plan> plan = hip::read_plan(probe.result.stderr_text, wrapped ? *wrapped : request.invocation,
                                          kStoredDirectory, request.from.source_date());
  if (!plan) return Uncacheable{reason::kPlanNotUnderstood, plan.error().message};
  return Planned{std::move(*plan), std::move(probe)};
}

// Runs the wrapper again, with the user's words. `told`: the probe that gave the wrapper the words that ask for jobs.
std::variant<Planned, Uncacheable> ask_through(const StepState& told, hip::IdFor id_for, protocol::Channel& channel,
                                               const Request& request, const Services& services, store::Lease& lease) {
  if (std::any_of(told.ran.begin(), told.ran.end(), compiler::names_other_cache))
    return Uncacheable{compiler::reason::kNotACompiler, request.compiler};
  const std::string driver = driver_in(told.ran, request.compiler);
  if (driver.empty()) return Uncacheable{reason::kWrapper, request.compiler};
  StepState probe = probe_work(request, id_for);
  const std::vector<std::string> added =
      hip::probe_words(request.invocation, request.from.cuid, request.colour, id_for);
  probe.commands = {{request.compiler, request.invocation.argv}};
  probe.through = ThroughWrapper{driver, added, told.result.stderr_text, peer_process(channel.fd())};
  if (Status ran = run_probe(probe, channel, request, services, lease); !ran)
    return Uncacheable{reason::kProbeFailed, ran.error().message};
  services.counters.probe(probe.hit);
  if (!probe.succeeded() || !probe.refusal.empty())
    return Uncacheable{reason::kWrapper, request.compiler + " " + probe.refusal_detail};
  return read(std::move(probe), request, services);
}

// Asks the linker wrapper for its jobs and adds them to the plan. An error if that fails.
Status ask_wrapper(Planned& planned, protocol::Channel& channel, const Request& request, const Services& services,
                   store::Lease& lease, const Explainer* explainer) {
  const Result<RequestDirectory> directory = probe_directory(request, services);
  if (!directory) return directory.error();
  StepState& probe = planned.wrapper_probe.emplace(work_for(*planned.plan.question, {}, request, directory->path()));
  probe.prepare = [&probe, &planned, &request, &directory, explainer]() -> Status {
    if (explainer != nullptr) explainer->log_why(history_step(probe, &*planned.plan.question, request.from), {});
    for (const hip::StepFile& file : planned.plan.question->files)
      if (Status written = write_step_file(file, *directory); !written) return written;
    return done();
  };
  Status ran = StepScheduler(channel, request, services, *directory, lease).run({&probe});
  probe.prepare = nullptr;
  if (!ran) return ran;
  services.counters.probe(probe.hit);
  if (!probe.succeeded()) return Error{"exit code " + std::to_string(probe.exit_code)};
  if (!probe.outputs.empty()) {
    const Result<std::string> captured = read_output(probe, probe.outputs.front(), directory->path(), services.store);
    return captured ? hip::take_captured(planned.plan, *captured) : Status(captured.error());
  }
  if (!probe.result.stdout_text.empty()) return Error{"it prints to its standard output"};
  return hip::take_back_ends(planned.plan, probe.result.stderr_text, kStoredDirectory);
}

// Without an answer, the back ends run within the bundle step, and the wrapper probe is not part of the request.
void add_back_ends(Planned& planned, protocol::Channel& channel, const Request& request, const Services& services,
                   store::Lease& lease, const Explainer* explainer) {
  if (!planned.plan.question) return;
  const Status asked = ask_wrapper(planned, channel, request, services, lease, explainer);
  if (asked) return;
  planned.wrapper_probe.reset();
  services.counters.bundled(reason::kWrapperNotUnderstood, asked.error().message);
  services.log.info(request.invocation.object + ": the back ends run within the bundle: " + asked.error().message);
}

std::variant<Planned, Uncacheable> ask(hip::IdFor id_for, protocol::Channel& channel, const Request& request,
                                       const Services& services, store::Lease& lease, const Explainer* explainer) {
  StepState probe = probe_work(request, id_for);
  if (explainer != nullptr)
    probe.prepare = [&probe, &request, explainer] {
      explainer->log_why(history_step(probe, nullptr, request.from), {});
      return done();
    };
  if (Status ran = run_probe(probe, channel, request, services, lease); !ran)
    return Uncacheable{reason::kProbeFailed, ran.error().message};
  services.counters.probe(probe.hit);
  if (!probe.succeeded()) return Uncacheable{reason::kProbeFailed, "exit code " + std::to_string(probe.exit_code)};
  if (probe.refusal == reason::kWrapper) return ask_through(probe, id_for, channel, request, services, lease);
  // A compiler that cannot be traced proves nothing, whatever it plans.
  if (probe.refusal == reason::kUntraceable) return Uncacheable{probe.refusal, request.compiler};
  return read(std::move(probe), request, services);
}

}  // namespace

std::vector<const StepState*> Planned::probes() const {
  std::vector<const StepState*> all = {&probe};
  if (wrapper_probe) all.push_back(&*wrapper_probe);
  return all;
}

std::variant<Planned, Uncacheable> obtain_plan(protocol::Channel& channel, const Request& request,
                                               const Services& services, store::Lease& lease,
                                               const Explainer* explainer) {
  const auto ask_with = [&](hip::IdFor id_for) { return ask(id_for, channel, request, services, lease, explainer); };
  const bool may_ignore_id = request.invocation.new_driver && !request.invocation.user_cuid;
  // Up to clang 19 the new driver ignores -cuid=. Later versions add an id of their own to the option for the front
  // ends, and that plan is refused.
  auto planned = ask_with(may_ignore_id ? hip::IdFor::frontends : hip::IdFor::driver);
  if (may_ignore_id && !std::holds_alternative<Planned>(planned)) planned = ask_with(hip::IdFor::driver);
  if (auto* found = std::get_if<Planned>(&planned)) add_back_ends(*found, channel, request, services, lease, explainer);
  return planned;
}

}  // namespace hipcache::daemon
