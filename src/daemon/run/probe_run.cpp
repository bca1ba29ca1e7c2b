#include "daemon/run/probe_run.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "daemon/audit/comparison.h"
#include "daemon/request/processor.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/relocatability.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/stream_marks.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/inputs/run.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

namespace {

constexpr std::string_view kWordsMark =
    "\x01"
    "driver\x01";
constexpr std::uint64_t kStartLimit = 16u << 20;
constexpr const char* kRequestFile = "driver";

// The start of a program, as recorded by preload/driver.c.
struct Start {
  std::string program;
  std::string parent;
  std::string umask;
  std::string directory;
  std::vector<std::string> words;
  std::vector<std::string> variables;
};

std::vector<std::string> fields_of(std::string_view bytes) {
  std::vector<std::string> fields;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    if (end == bytes.npos) return {};
    fields.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  return fields;
}

std::optional<Start> start_of(std::string_view bytes) {
  constexpr std::size_t kFixed = 5;
  std::vector<std::string> fields = fields_of(bytes);
  if (fields.size() < kFixed + 1 || !fields.back().empty()) return std::nullopt;
  std::size_t count = 0;
  const std::string& number = fields[kFixed - 1];
  const auto read = std::from_chars(number.data(), number.data() + number.size(), count);
  if (read.ec != std::errc() || count > fields.size() - kFixed - 1) return std::nullopt;
  const auto words = fields.begin() + kFixed;
  const auto variables = words + static_cast<std::ptrdiff_t>(count);
  return Start{.program = fields[0],
               .parent = fields[1],
               .umask = fields[2],
               .directory = fields[3],
               .words = {words, variables},
               .variables = {variables, fields.end() - 1}};
}

// All programs of the run in start order; empty if the record of one is incomplete.
std::vector<Start> starts_in(const RequestDirectory& directory) {
  std::vector<Start> starts;
  for (;;) {
    const std::string path = directory.file(std::string(kRequestFile) + "." + std::to_string(starts.size()));
    if (::access(path.c_str(), F_OK) != 0) return starts;
    const Result<std::string> bytes = read_file(path, kStartLimit);
    std::optional<Start> start = bytes ? start_of(*bytes) : std::nullopt;
    if (!start) return {};
    starts.push_back(*std::move(start));
  }
}

// Variables that shells set for themselves. Compilers use at most the directory in them.
bool is_shells_own(std::string_view entry) {
  constexpr auto kNames = std::to_array<std::string_view>({"_=", "SHLVL=", "PWD=", "OLDPWD="});
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return entry.starts_with(name); });
}

bool is_the_runs_own(std::string_view entry) {
  constexpr auto kNames = std::to_array<std::string_view>({"TMPDIR=", "LD_PRELOAD=", "HIPCACHE_TRACE="});
  // The client sets huge pages if the user has no such variable. Any other value comes from elsewhere.
  return entry == HIPCACHE_HUGE_PAGES ||
         std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return entry.starts_with(name); });
}

std::vector<std::string> compared(const std::vector<std::string>& variables) {
  std::vector<std::string> result;
  for (const std::string& entry : variables)
    if (!is_shells_own(entry) && !is_the_runs_own(entry)) result.push_back(entry);
  std::sort(result.begin(), result.end());
  return result;
}

// Whether the driver has the user's variables: the steps run with those and not with the wrapper's.
bool has_users_variables(const Start& driver, const StepContext& context) {
  const inputs::RunContext& from = context.request.from;
  const char* preloaded = from.variable("LD_PRELOAD");
  const bool more = preloaded != nullptr && *preloaded != '\0';
  const std::string preload = context.services.trace_library + (more ? ":" + std::string(preloaded) : "");
  return holds(driver.variables, "TMPDIR=" + context.directory.path()) &&
         holds(driver.variables, "LD_PRELOAD=" + preload) && compared(driver.variables) == compared(from.environment);
}

// The driver must run as the user's command does.
Status check_surroundings(const Start& driver, const StepContext& context) {
  if (driver.directory != real_path(context.request.from.working_directory)) return Error{"changes the directory"};
  if (driver.umask != std::to_string(context.request.umask)) return Error{"changes the mask of modes"};
  return has_users_variables(driver, context) ? done() : Error{"changes the environment"};
}

bool is_same_words(const std::vector<std::string>& words, const std::vector<std::string>& users) {
  return std::equal(words.begin() + 1, words.end(), users.begin() + 1, users.end());
}

// Where an untraced wrapper found its driver: beside itself, under a name that ends the wrapper's.
std::string place_beside(const std::string& wrapper, const Start& driver) {
  const std::string name(base_name(driver.words[0]));
  if (!base_name(wrapper).ends_with(name)) return "";
  for (const std::string& from : {real_path(wrapper), wrapper}) {
    const std::string place = std::string(directory_name(from)) + "/" + name;
    if (place != wrapper && real_path(place) == driver.program) return place;
  }
  return "";
}

// Without what colours it at a terminal.
std::string plain(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b')
      i = std::min(line.find('m', i), line.size());
    else
      text += line[i];
  }
  return text;
}

// Whether each line is a warning of clang's driver, which comes of the words. What a wrapper prints itself may differ
// each time.
bool is_of_driver(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = plain(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t warning = line.find(": warning: ");
    if (warning == line.npos || !compiler::names_clang_driver(line.substr(0, warning))) return false;
  }
  return true;
}

// The run must print the same jobs as the earlier probe, in which the wrapper itself was asked for jobs.
Status check_jobs(const StepResult& probe, const std::string& direct_jobs, const std::vector<std::string>& words,
                  const Request& request, const compiler::Parser& parser) {
  const std::optional<compiler::Invocation> wrapped = wrapped_invocation(words, request, parser);
  if (!wrapped) return Error{"makes another command of it"};
  const std::string date = request.from.source_date();
  const Result<hip::Plan> direct = hip::read_plan(direct_jobs, *wrapped, kStoredDirectory, date);
  const Result<hip::Plan> plan = hip::read_plan(probe.stderr_text, *wrapped, kStoredDirectory, date);
  if (!plan || !is_of_driver(plan->driver_stderr)) return Error{"prints something else than jobs"};
  const bool is_same = direct && differences_of(parts_of(*direct), parts_of(*plan)).empty();
  return is_same ? done() : Error{"does not do the same twice"};
}

// Makes the driver of the next run in that directory add the words.
Status prepare_driver(const ThroughWrapper& through, const RequestDirectory& directory) {
  std::string bytes = through.driver + '\0';
  for (const std::string& word : through.words) bytes += word + '\0';
  return replace_file(directory.file(kRequestFile), bytes);
}

struct DriverBehind {
  std::vector<std::string> words;  // what the wrapper gave the driver, its own name first
  std::string beside;              // where an untraced wrapper found the driver; else ""
};

// The driver behind the wrapper, from the files of the run. The error says, after the wrapper's name, why there is
// none.
Result<DriverBehind> driver_behind(const StepState& probe, const ThroughWrapper& through, const StepContext& context) {
  const Request& request = context.request;
  const std::vector<Start> starts = starts_in(context.directory);
  if (starts.size() != 1 || starts[0].program != through.driver) return Error{"does not end in one start of a driver"};
  const Start& driver = starts[0];
  if (driver.parent != std::to_string(through.client)) return Error{"waits for the driver instead of becoming it"};
  if (driver.words.empty() || !is_same_words(driver.words, request.invocation.argv))
    return Error{"changes the command"};
  if (Status same = check_surroundings(driver, context); !same) return same.error();
  if (!probe.result.stdout_text.empty()) return Error{"prints something else than jobs"};
  if (Status same = check_jobs(probe.result, through.direct_jobs, driver.words, request, context.services.parser);
      !same)
    return same.error();
  std::string beside = place_beside(request.compiler, driver);
  if (beside.empty()) return Error{"leaves no trace"};
  return DriverBehind{driver.words, std::move(beside)};
}

std::string stored_words(const std::vector<std::string>& words) {
  std::string stored(kWordsMark);
  for (const std::string& word : words) stored += word + '\0';
  return stored;
}

}  // namespace

std::string driver_in(const std::vector<std::string>& programs, const std::string& compiler) {
  const std::string wrapper = real_path(compiler);
  const auto is_driver = [&](const std::string& program) {
    return program != wrapper && compiler::names_clang_driver(program);
  };
  if (programs.empty() || !is_driver(programs.back())) return "";
  const auto drivers = std::count_if(programs.begin(), programs.end(), is_driver);
  const bool has_other_cache = std::any_of(programs.begin(), programs.end(), compiler::names_other_cache);
  return drivers == 1 && !has_other_cache ? programs.back() : "";
}

std::vector<std::string> words_in(const std::string& stored) {
  return stored.starts_with(kWordsMark) ? fields_of(std::string_view(stored).substr(kWordsMark.size()))
                                        : std::vector<std::string>{};
}

std::optional<compiler::Invocation> wrapped_invocation(const std::vector<std::string>& words, const Request& request,
                                                       const compiler::Parser& parser) {
  auto parsed = parser.parse(words, request.from.working_directory);
  auto* wrapped = std::get_if<compiler::Invocation>(&parsed);
  if (wrapped == nullptr) return std::nullopt;
  const compiler::Invocation& typed = request.invocation;
  const bool is_same =
      wrapped->route == typed.route && wrapped->driver.links == typed.driver.links &&
      wrapped->driver.then_links == typed.driver.then_links && wrapped->source == typed.source &&
      wrapped->other_sources == typed.other_sources && wrapped->object == typed.object &&
      wrapped->driver.names_outputs == typed.driver.names_outputs && wrapped->depfile == typed.depfile &&
      wrapped->driver.new_driver == typed.driver.new_driver && wrapped->driver.host_only == typed.driver.host_only &&
      wrapped->driver.user_cuid == typed.driver.user_cuid && wrapped->writes_command == typed.writes_command &&
      asks_processor(wrapped->expanded) == asks_processor(typed.expanded);
  return is_same ? std::optional(std::move(*wrapped)) : std::nullopt;
}

Status ProbeRun::prepare() { return through_ ? prepare_driver(*through_, context_.directory) : done(); }

Status ProbeRun::take(const protocol::StepDone& report) {
  if (Status status = take_status(state_, report, context_); !status) return status;
  if (!state_.succeeded()) {
    take_failure(state_, report, context_);
    return done();
  }
  take_trace(report);
  // A probe that finds a wrapper is followed by another one, through the wrapper.
  const bool is_followed = !through_ && state_.result.refusal.reason == Reason::compiler_is_a_wrapper;
  if (!keep(state_, {}, context_) && !is_followed) note_not_stored(state_, context_);
  return done();
}

// The driver that a wrapper started. Its words replace the driver's standard output, which is empty. If the wrapper is
// not accepted, sets the refusal. Returns where an untraced wrapper found the driver; else "".
std::string ProbeRun::take_driver() {
  Result<DriverBehind> driver = driver_behind(state_, *through_, context_);
  if (!driver) {
    state_.result.refusal = {Reason::compiler_is_a_wrapper, driver.error().message};
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
  const Relocatability ties = relocatability_of(state_.spec(), {}, result, from);
  const trace::Trace trace = trace::trace_of(std::move(*records));
  result.ran = ran_in(trace);
  std::vector<std::string> programs = programs_of(state_.spec());
  const std::string beside = through_ && !result.is_refused() ? take_driver() : "";
  if (!beside.empty()) programs.push_back(beside);
  if (result.is_refused()) return note_descriptor(state_, trace.records, context_);
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
