#include "daemon/plan/planner.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "daemon/audit/audit.h"
#include "daemon/audit/comparison.h"
#include "daemon/request/keys.h"
#include "daemon/request/request.h"
#include "daemon/request/wrappers.h"
#include "daemon/run/probe_run.h"
#include "daemon/run/step_scheduler.h"
#include "daemon/shared/client_process.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/result.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/hip/neutral_names.h"

namespace hipcache::daemon {

namespace {

using compiler::Uncacheable;

// A way to ask the user's driver for its jobs (-###). Each is a step of its own: it is looked up, and the client runs
// it on a miss. A probe under neutral names (hipcache/compiler/hip/neutral_names.h) is shared by all units that differ
// in their names alone. The caller counts the probes that make plans; those that only audit one are not counted.
struct WayToAsk {
  hip::IdFor id_for;
  const hip::NeutralNames* neutral = nullptr;  // null: by the unit's own names
  std::optional<ThroughWrapper> through = {};  // set: a wrapper gets the user's words alone
};

StepSpec spec_of_probe(const WayToAsk& way, const Request& request) {
  compiler::Invocation asked = request.invocation;
  if (way.neutral != nullptr) asked.argv = way.neutral->argv();
  const std::string& cuid = way.neutral != nullptr ? hip::NeutralNames::cuid() : request.from.cuid;
  const std::vector<std::string> arguments = hip::probe_arguments(asked, cuid, way.id_for);
  StepSpec spec;
  spec.label = "probe";
  spec.key = probe_key(request, arguments);
  spec.commands = {{request.compiler, way.through ? request.invocation.argv : arguments}};
  spec.prints_plan = true;
  spec.is_repeated = way.through.has_value();
  return spec;
}

// Each probe has a directory of its own, because clang 15 and 16 leave a directory behind in TMPDIR for every -###. The
// driver's own status and messages are in the result. An Error means that the probe could not run, or that the plan
// under neutral names was found wrong.
Result<StepState> ask(const WayToAsk& way, const RequestContext& context) {
  StepSpec spec = spec_of_probe(way, context.request);
  if (way.neutral != nullptr && context.services.doubts.has(spec.key.value))
    return Error{"its plan was found to be another one"};
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return directory.error();
  if (way.neutral != nullptr) {
    if (Status made = replace_file(directory->file(way.neutral->source_file()), ""); !made) return made.error();
    spec.commands.front().argv = hip::in_directory(spec.commands.front().argv, directory->path());
  }
  const StepContext in_directory{context, *directory};
  StepState probe(std::move(spec));
  ProbeRun run(probe, way.through, in_directory);
  probe.run = &run;
  if (Status ran = StepScheduler(in_directory).run(probe); !ran) return ran.error();
  probe.run = nullptr;
  return probe;
}

// A driver prints jobs to standard error, and nothing else. More is text of a script around it: HIPCC_VERBOSE makes
// hipcc print its command. The script would print something else for the user's words, and the steps do not run it.
std::optional<Uncacheable> own_text(const StepResult& probe, const hip::Plan& plan, const Request& request) {
  const Reason reason = Reason::compiler_is_a_wrapper;
  if (!probe.stdout_text.empty() && words_in(probe.stdout_text).empty())
    return Uncacheable{reason, request.compiler + " prints to standard output"};
  if (request.invocation.driver.by_script && plan.driver_stderr.find("-###") != std::string::npos)
    return Uncacheable{reason, request.compiler + " prints its words"};
  return std::nullopt;
}

// Reads what the driver printed as a plan of the user's command. A probe through a wrapper plans the wrapper's command.
std::variant<Planned, Uncacheable> read(StepState probe, std::string printed, const RequestContext& context) {
  const Request& request = context.request;
  std::optional<compiler::Invocation> wrapped;
  if (const std::vector<std::string> words = words_in(probe.result.stdout_text); !words.empty()) {
    wrapped = wrapped_invocation(words, request, context.services.parser);
    if (!wrapped) return Uncacheable{Reason::compiler_is_a_wrapper, "makes another command of it"};
  }
  if (std::optional<std::string> lost = hip::lost_debug_file(printed, kStoredDirectory))
    return Uncacheable{Reason::split_dwarf, *std::move(lost)};
  if (hip::names_by_inode(printed)) return Uncacheable{Reason::random_cuid, "-fgpu-rdc for one side alone"};
  const auto read_plan = [&] {
    return hip::read_plan(printed, wrapped ? *wrapped : request.invocation, kStoredDirectory,
                          request.from.source_date(), source_ids_of(request, context.services.file_system));
  };
  Result<hip::Plan> plan = read_plan();
  if (!plan) return Uncacheable{Reason::plan_not_understood, plan.error().message};
  auto for_steps = std::make_unique<Request>(request);
  std::string& relocatable_cuid = for_steps->from.relocatable_cuid;
  relocatable_cuid = relocatable_cuid_of(request, *plan, context.services.file_system);
  if (!relocatable_cuid.empty()) {
    printed = replace_all(std::move(printed), request.from.cuid, relocatable_cuid);
    plan = read_plan();
    if (!plan) return Uncacheable{Reason::plan_not_understood, plan.error().message};
  }
  if (auto why = own_text(probe.result, *plan, request)) return *std::move(why);
  for_steps->from.look_options = plan->look_options;
  return Planned{std::make_unique<hip::Plan>(std::move(*plan)), std::move(probe), std::move(for_steps)};
}

std::variant<Planned, Uncacheable> read(StepState probe, const RequestContext& context) {
  std::string printed = probe.result.stderr_text;
  return read(std::move(probe), std::move(printed), context);
}

// Runs the wrapper again, with the user's words.
std::variant<Planned, Uncacheable> ask_through(const StepState& direct, hip::IdFor id_for,
                                               const RequestContext& context) {
  const std::string& compiler = context.request.compiler;
  const std::vector<std::string>& programs = direct.result.ran;
  std::string driver = driver_in(programs, compiler);
  if (driver.empty()) return Uncacheable{Reason::compiler_is_a_wrapper, compiler};
  Result<StepState> probe =
      ask({.id_for = id_for,
           .through =
               ThroughWrapper{.driver = std::move(driver),
                              .words = hip::probe_words(context.request.invocation, context.request.from.cuid, id_for),
                              .direct_jobs = direct.result.stderr_text,
                              .client = peer_process(context.channel.fd())}},
          context);
  if (!probe) return Uncacheable{Reason::probe_failed, probe.error().message};
  context.services.counters.probe(probe->hit);
  if (!probe->succeeded() || probe->result.is_refused())
    return Uncacheable{Reason::compiler_is_a_wrapper, compiler + " " + probe->result.refusal.detail};
  return read(std::move(*probe), context);
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
  context.services.counters.bundled(text_of(Reason::wrapper_not_understood), asked.error().message);
  context.services.log.info(context.of_object("the back ends run within the bundle: " + asked.error().message));
}

std::variant<Planned, Uncacheable> plan_of(Result<StepState> probe, hip::IdFor id_for, const RequestContext& context) {
  if (!probe) return Uncacheable{Reason::probe_failed, probe.error().message};
  const StepResult& result = probe->result;
  if (!probe->succeeded()) return Uncacheable{Reason::probe_failed, said_by_failure(result)};
  if (result.refusal.reason == Reason::compiler_is_a_wrapper) {
    if (std::any_of(result.ran.begin(), result.ran.end(), compiler::names_other_cache))
      return Uncacheable{Reason::not_a_compiler, context.request.compiler};
    if (is_run_of_wrapper(context.request, result.ran))
      return Uncacheable{Reason::starts_a_compiler, result.refusal.detail};
    return ask_through(*probe, id_for, context);
  }
  // A compiler that cannot be traced proves nothing, whatever it plans.
  if (result.refusal.reason == Reason::untraceable_compiler)
    return Uncacheable{Reason::untraceable_compiler, context.request.compiler};
  return read(std::move(*probe), context);
}

std::variant<Planned, Uncacheable> ask_by_own_names(hip::IdFor id_for, const RequestContext& context) {
  Result<StepState> asked = ask({.id_for = id_for}, context);
  if (asked) context.services.counters.probe(asked->hit);
  return plan_of(std::move(asked), id_for, context);
}

// Nothing if the driver must be asked by the unit's own names. It reports a missing source itself.
std::optional<std::variant<Planned, Uncacheable>> ask_neutrally(hip::IdFor id_for, const RequestContext& context) {
  const Request& request = context.request;
  const char* edits = request.from.variable("CCC_OVERRIDE_OPTIONS");
  const std::optional<hip::NeutralNames> names =
      hip::NeutralNames::of(request.invocation, request.from.cuid, edits != nullptr ? edits : "");
  const std::string source = join_path(request.from.working_directory, request.invocation.source);
  if (!names || access(source.c_str(), F_OK) != 0) return std::nullopt;
  Result<StepState> probe = ask({.id_for = id_for, .neutral = &*names}, context);
  if (probe) context.services.counters.probe(probe->hit);
  if (!probe || !probe->succeeded() || probe->result.is_refused()) return std::nullopt;
  std::optional<std::string> printed = names->own_names(probe->result.stderr_text, kStoredDirectory);
  if (!printed) return std::nullopt;
  return read(std::move(*probe), *std::move(printed), context);
}

// A share of the plans under neutral names is compared with the driver's under the unit's own. After a difference, this
// daemon asks by own names alone. Nothing is compared if the driver cannot be asked.
std::variant<Planned, Uncacheable> audit(Planned neutral, hip::IdFor id_for, const RequestContext& context) {
  const Services& services = context.services;
  Result<StepState> asked = ask({.id_for = id_for}, context);
  if (!asked) return neutral;
  auto own = plan_of(std::move(asked), id_for, context);
  const auto* planned = std::get_if<Planned>(&own);
  const std::vector<DifferentPart> differences =
      planned == nullptr ? std::vector<DifferentPart>()
                         : differences_of(parts_of(*neutral.plan), parts_of(*planned->plan));
  if (planned != nullptr && differences.empty()) return neutral;
  services.doubts.add(neutral.probe.spec().key.value);
  services.counters.error();
  const std::string what = differences.empty() ? "it has no plan" : to_text(differences.front(), "");
  services.log.error(
      context.of_object("the driver plans otherwise under neutral names: " + what + "; please report its command"));
  return own;
}

std::variant<Planned, Uncacheable> plan_with(hip::IdFor id_for, const RequestContext& context) {
  auto planned = ask_neutrally(id_for, context);
  if (!planned) return ask_by_own_names(id_for, context);
  auto* found = std::get_if<Planned>(&*planned);
  const double share = context.request.settings.audit.value_or(config::kAuditedPlans);
  if (found == nullptr || !context.services.audit_draw.draw(share)) return *std::move(planned);
  return audit(std::move(*found), id_for, context);
}

// Up to clang 19 the new driver ignores -cuid= with a warning, and that plan is refused. For the host alone it then
// uses no id. Later versions use an id of their own, or add one to the option for the front ends. Such plans are
// refused, too.
std::vector<hip::IdFor> ways_to_give_id(const compiler::Invocation& invocation) {
  if (!invocation.driver.new_driver || invocation.driver.user_cuid) return {hip::IdFor::driver};
  if (invocation.driver.host_only) return {hip::IdFor::nobody, hip::IdFor::driver};
  return {hip::IdFor::frontends, hip::IdFor::driver};
}

}  // namespace

bool has_id(const hip::Plan& plan) {
  const auto is_id = [](const std::string& argument) { return argument.starts_with("-cuid="); };
  const auto gives_id = [&](const hip::StepCommand& command) {
    return std::any_of(command.argv.begin(), command.argv.end(), is_id);
  };
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const hip::Step& step) {
    return std::any_of(step.commands.begin(), step.commands.end(), gives_id);
  });
}

RequestContext Planned::context(const RequestContext& asked) const {
  return {asked.channel, *request, asked.services, asked.lease, asked.observer, asked.audit, asked.key, asked.history};
}

std::vector<const StepState*> Planned::probes() const {
  std::vector<const StepState*> all = {&probe};
  if (wrapper_probe) all.push_back(&*wrapper_probe);
  return all;
}

std::variant<Planned, Uncacheable> obtain_plan(const RequestContext& context) {
  if (auto why = report_by_variable(context.request.from.environment)) return *std::move(why);
  const compiler::Invocation& invocation = context.request.invocation;
  std::variant<Planned, Uncacheable> planned = Uncacheable{};
  for (const hip::IdFor id_for : ways_to_give_id(invocation)) {
    planned = plan_with(id_for, context);
    auto* found = std::get_if<Planned>(&planned);
    if (found != nullptr && !(id_for == hip::IdFor::nobody && has_id(*found->plan))) {
      add_back_ends(*found, found->context(context));
      break;
    }
  }
  return planned;
}

}  // namespace hipcache::daemon
