#include "daemon/run/probe_run.h"

#include <utility>

#include "daemon/record/output_recorder.h"
#include "daemon/record/relocatability.h"
#include "daemon/run/step_report.h"
#include "hipcache/base/reason.h"
#include "hipcache/inputs/run.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

Status ProbeRun::prepare() { return through_ ? prepare_driver(*through_, context_.directory) : done(); }

Status ProbeRun::take(const protocol::StepDone& report) {
  if (Status status = take_status(state_, report, context_); !status) return status;
  if (!state_.succeeded()) {
    take_failure(state_, report, context_);
    return done();
  }
  take_trace(report);
  // A probe that finds a wrapper is followed by another one, through the wrapper.
  const bool is_followed = !through_ && state_.result.refusal == Reason::compiler_is_a_wrapper;
  if (!keep(state_, {}, context_) && !is_followed) note_not_stored(state_, context_);
  return done();
}

// The driver that a wrapper started. Its words replace the driver's standard output, which is empty. If the wrapper is
// not accepted, sets the refusal. Returns where an untraced wrapper found the driver; else "".
std::string ProbeRun::take_driver() {
  Result<DriverBehind> driver = driver_behind(state_, *through_, context_);
  if (!driver) {
    state_.result.refuse({Reason::compiler_is_a_wrapper, driver.error().message});
    return "";
  }
  state_.result.stdout_text = stored_words(driver->words);
  return std::move(driver->beside);
}

void ProbeRun::take_trace(const protocol::StepDone& report) {
  std::optional<std::vector<trace::Record>> records = records_of(state_, report.step, context_);
  if (!records) return;
  StepResult& result = state_.result;
  const inputs::RunContext& from = context_.request.from;
  Relocatability ties = relocatability_of(state_.spec().maps, {}, result, from);
  ties.roots.arguments = arguments_of(state_.spec());
  const trace::Trace trace = trace::trace_of(std::move(*records));
  result.ran = ran_in(trace);
  std::vector<std::string> programs = programs_of(state_.spec());
  const std::string beside = through_ && result.refusal == Reason::none ? take_driver() : "";
  if (!beside.empty()) programs.push_back(beside);
  if (result.refusal != Reason::none) return note_descriptor(state_, trace.records, context_);
  // A plan contains the date of SOURCE_DATE_EPOCH. If the date cannot be replaced, the plan is valid for that date
  // only.
  const bool replaces_date = hip::may_take_another_date(result.stderr_text);
  // Other programs than the driver may run, and read any variable.
  const bool wraps = through_.has_value() || context_.request.invocation.driver.by_script;
  inputs::Shows shows = ties.shown(hip::has_messages(result.stderr_text));
  shows.command = shows.command || !replaces_date;
  shows.directory = wraps;
  using Others = inputs::Programs::Others;
  take_witnessed(state_, trace,
                 {.programs = {.commands = std::move(programs),
                               .others = wraps ? Others::known : Others::none,
                               .has_unseen_one = !beside.empty()},
                  .directory = context_.directory.path(),
                  .started_ns = report.started_ns,
                  .shows = std::move(shows),
                  .plans = replaces_date,
                  .plans_look = true,
                  .sight = inputs::kNoSources},
                 context_);
}

}  // namespace hipcache::daemon
