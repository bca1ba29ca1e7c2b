#include "daemon/execute/action.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "daemon/execute/engine.h"
#include "daemon/shared/split_codegen_worth.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/stream_marks.h"
#include "hipcache/base/text.h"
#include "hipcache/protocol/worker_image.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kLibrary = "libhipcache-trace.so";  // in the request's directory on the worker

bool is_frontend(const protocol::Command& command) { return command.argv.size() > 1 && command.argv[1] == "-cc1"; }

// Variables of this one command: what the client's steps have (client/steps/step_process.h), and contents.
std::string settings_of(const protocol::Command& command, const std::string& trace, const StepContext& context) {
  const inputs::RunContext& from = context.request.from;
  std::string settings = "LD_PRELOAD=" + shell_word(context.directory.file(kLibrary)) +
                         " HIPCACHE_TRACE=" + shell_word(trace) + " " + std::string(trace::kContents) + "=1 ";
  if (const char* directory = from.variable("PWD"); directory != nullptr)
    settings += "PWD=" + shell_word(directory) + " ";
  if (is_frontend(command) && from.variable("GLIBC_TUNABLES") == nullptr) settings += HIPCACHE_HUGE_PAGES " ";
  return settings;
}

// The worker's variables that make the loader print into each program's messages. LD_PRELOAD is set for each command.
constexpr const char* kNoNoise =
    "unset LD_AUDIT LD_DEBUG LD_PROFILE LD_SHOW_AUXV LD_TRACE_LOADED_OBJECTS LD_VERBOSE LD_WARN && ";

std::string script_of(const StepSpec& spec, const std::string& trace, const StepContext& context) {
  const MessageFiles messages = message_files_of(trace);
  const std::string into = " >>" + shell_word(messages.out) + " 2>>" + shell_word(messages.error);
  std::string script = kNoNoise + ("cd " + shell_word(context.request.from.working_directory));
  for (const protocol::Command& command : spec.commands) {
    script += " && " + settings_of(command, trace, context) + shell_word(command.program);
    for (std::size_t i = 1; i < command.argv.size(); ++i) script += " " + shell_word(command.argv[i]);
    script += into;
  }
  return script;
}

std::vector<std::string> environment_of(const InputNames& names, const StepContext& context) {
  std::vector<std::string> environment{"TMPDIR=" + context.directory.path()};
  std::set<std::string> asked = names.variables;
  asked.insert({"PATH", "LD_LIBRARY_PATH"});
  for (const std::string& name : asked) {
    const char* value = context.request.from.variable(name);
    const bool is_set_otherwise =
        name == "TMPDIR" || name == "PWD" || name == "LD_PRELOAD" || name.starts_with("HIPCACHE_");
    if (value != nullptr && !is_set_otherwise) environment.push_back(name + "=" + value);
  }
  return environment;
}

// The step's own words may name files that no scan opens: device bitcode, files that the driver wrote.
void add_words(const StepSpec& spec, InputRoot& root) {
  for (const protocol::Command& command : spec.commands) {
    root.add(command.program);
    for (const std::string& word : command.argv)
      if (word.starts_with('/')) root.add(word);
  }
}

Result<std::vector<protocol::ExecuteInput>> inputs_of(const StepSpec& spec, const InputNames& names,
                                                      const StepContext& context, Engine& engine) {
  const inputs::RunContext& from = context.request.from;
  const std::string source = join_path(from.working_directory, source_of(spec, context.request));
  InputRoot root(from, context.directory.path(), source, engine);
  root.add_directory(from.working_directory);
  root.add_directory(context.directory.path());
  for (const std::string& path : names.paths) root.add(path);
  if (!spec.part || spec.part->reads_sources) root.add(source);
  add_words(spec, root);
  root.add_file(context.directory.file(kLibrary), context.services.trace_library);
  return std::move(root).take();
}

bool goes_on(const protocol::Command& command) {
  return std::find(command.argv.begin(), command.argv.end(), hip::kThen) != command.argv.end();
}

std::string in_milliseconds(std::chrono::microseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

std::string why_none_is_sent(const RequestContext& context) {
  const Services& services = context.services;
  if (services.engine == nullptr)
    return "the running daemon has no engine: it reads HIPCACHE_EXECUTE when it starts; hipcache --doctor says more";
  const config::Settings& settings = services.own_settings;
  if (services.engine->url().is_trusted || (settings.remote.empty() && settings.signing_key.empty())) return "";
  return "the daemon writes to shared caches or signs, and the engine's URL has no trusted=true";
}

bool is_worth_sending(std::uint64_t cost_us, const config::ExecuteUrl& url) {
  return cost_us == 0 || std::chrono::microseconds(cost_us) >= url.min_cost;
}

std::string why_not_sent(const StepSpec& spec, const RequestContext& context) {
  Engine& engine = *context.services.engine;
  if (spec.planned == nullptr || spec.planned->kind != hip::StepKind::device) return "not a device step";
  if (!may_be_sent(spec)) return "no worker can run it as one action";
  const std::uint64_t known = context.services.split_codegen_ledger.cost(spec.key).known_us();
  const std::uint64_t cost = known != 0 ? known : engine.typical_us();
  if (!is_worth_sending(cost, engine.url()))
    return "expected to take " + in_milliseconds(std::chrono::microseconds(cost)) + ", less than min_cost (" +
           in_milliseconds(engine.url().min_cost) + ")";
  if (const auto platform = platform_of(spec, context, engine); !platform) return platform.error().message;
  return engine.is_open() ? "" : "the engine is not asked now: too many failures, or too many actions at once";
}

bool may_be_sent(const StepSpec& spec) {
  return spec.planned != nullptr && spec.planned->kind == hip::StepKind::device && !spec.is_proof &&
         !spec.is_tentative && spec.inputs.empty() && spec.unproven.empty() && !spec.commands.empty() &&
         !spec.outputs.empty() &&
         std::all_of(spec.commands.begin(), spec.commands.end(), [](const protocol::Command& command) {
           return !command.argv.empty() && command.argv.front() == command.program && !goes_on(command);
         });
}

TraceFiles trace_files_of(const StepSpec& spec) {
  if (std::none_of(spec.commands.begin(), spec.commands.end(), goes_on)) return {.traces = {""}, .others = {}};
  return {.traces = {"", ".then"}, .others = {".first", ".said"}};
}

MessageFiles message_files_of(const std::string& trace) {
  return {.out = trace + ".stdout", .error = trace + ".stderr"};
}

// PWD is set for each command (settings_of).
std::set<std::string> variables_of(const protocol::RemoteExecute& action, const inputs::RunContext& from) {
  std::set<std::string> names;
  for (const std::string& entry : action.environment) names.insert(entry.substr(0, entry.find('=')));
  if (from.variable("PWD") != nullptr) names.insert("PWD");
  return names;
}

std::chrono::milliseconds deadline_of(std::uint64_t cost_us) {
  constexpr std::chrono::milliseconds kLeast = 5s, kUnknown = 10min;
  return cost_us == 0 ? kUnknown : std::max(kLeast, std::chrono::milliseconds(3 * cost_us / 1000));
}

Result<std::vector<std::string>> platform_of(const StepSpec& device, const RequestContext& context, Engine& engine) {
  const std::vector<std::string>& properties = engine.url().properties;
  const auto wanted = std::find_if(properties.begin(), properties.end(), [](const std::string& property) {
    return property.starts_with(kToolchainProperty);
  });
  if (wanted == properties.end() && !engine.url().sends_toolchain) return std::vector<std::string>();
  Result<std::string> ours =
      engine.toolchains().property(device, toolchain_directory(context.request.from), context.services.file_system);
  if (!ours) return ours.error();
  if (wanted != properties.end() && *ours != *wanted)
    return Error{"the workers have another toolchain than this step, which needs " + *ours};
  return std::vector<std::string>{*std::move(ours)};
}

Result<protocol::RemoteExecute> action_of(const StepSpec& spec, const InputNames& names, const std::string& trace,
                                          const StepContext& context, Engine& engine) {
  Result<std::vector<protocol::ExecuteInput>> inputs = inputs_of(spec, names, context, engine);
  if (!inputs) return inputs.error();
  const std::string toolchain = toolchain_directory(context.request.from);
  protocol::RemoteExecute action{.argv = protocol::in_input_root(script_of(spec, trace, context), toolchain),
                                 .environment = environment_of(names, context),
                                 .working_directory = "/",
                                 .inputs = *std::move(inputs)};
  for (const hip::StepOutput& output : spec.outputs)
    action.outputs.push_back(context.directory.file(output.name).substr(1));
  const TraceFiles traces = trace_files_of(spec);
  for (const std::string& ending : traces.traces) action.outputs.push_back(trace.substr(1) + ending);
  for (const std::string& ending : traces.others) action.outputs.push_back(trace.substr(1) + ending);
  const MessageFiles messages = message_files_of(trace);
  for (const std::string& name : {messages.out, messages.error}) action.outputs.push_back(name.substr(1));
  action.queue_limit_ms = static_cast<std::uint64_t>(kQueueLimit.count());
  return action;
}

}  // namespace hipcache::daemon
