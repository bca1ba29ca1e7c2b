#include "hipcache/compiler/iree/iree_command.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/command_line/arguments.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

// An argument as LLVM's command line library reads it: "-name", "--name" and "--name=value" are the
// same option. A value may also be the next argument.
struct IreeOption {
  std::string_view name;  // without dashes; "" if the argument is no option
  std::optional<std::string_view> value;
};

IreeOption iree_option(std::string_view argument) {
  if (!argument.starts_with('-') || argument == "-" || argument == "--") return {};
  argument = bare_option(argument);
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos) return {argument, std::nullopt};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

// Why an option makes the command uncacheable; none if it does not.
Reason iree_refusal(const IreeOption& option) {
  if (option.value == "false" || option.value == "0") return Reason::none;
  return reason_against(option.name, facts::refused, Tool::iree);
}

// Whether the option writes a file, so that "-" means standard output. Other options read "-".
bool writes_file(const IreeOption& option) {
  return option.name == "o" || option.name.ends_with("-to") || option.name.find("dump") != std::string_view::npos ||
         option.name.find("output-file") != std::string_view::npos;
}

// The variables that do what refused options do.
std::vector<RefusedVariable> iree_refused_variables() {
  return {{"IREE_LOAD_PLUGINS", Reason::plugin}, {"IREE_PRESERVE_DYLIB_TEMP_FILES", Reason::save_temps}};
}

// Says which option a failed iree-compile lacks to have a target.
//
// Problem: the compiler names some of these options in its message and some not. Without back ends
// for the device "local" it only says that the device provides no targets.
// Choice: read from the arguments what a target needs and does not have. Rejected: reading the
// compiler's messages, whose words change.

// What the arguments say of targets.
struct Targets {
  bool has_device = false;    // any device or back end is named
  std::string gpu;            // the first device that needs a GPU named: "hip", "amdgpu", "rocm"
  bool has_local = false;     // the device "local" is named
  bool has_backends = false;  // for the device "local"
  bool has_gpu_name = false;
  bool stops_early = false;  // before or without making executables
};

// "local" of "local", "a=local" and "local[0]".
std::string_view device_in(std::string_view value) {
  value = value.substr(0, value.find('['));
  const auto equals = value.rfind('=');
  return equals == std::string_view::npos ? value : value.substr(equals + 1);
}

void take_device(std::string_view device, Targets& targets) {
  targets.has_device = true;
  targets.has_local = targets.has_local || device == "local";
  if (targets.gpu.empty() && (device == "hip" || device == "amdgpu" || device == "rocm")) targets.gpu = device;
}

void take_option(std::string_view name, std::string_view value, Targets& targets) {
  if (name == "iree-hal-target-device") {
    take_device(device_in(value), targets);
  } else if (name == "iree-hal-target-backends") {
    targets.has_backends = true;
    take_device(value, targets);
  } else if (name == "iree-hal-local-target-device-backends") {
    targets.has_backends = true;
  } else if (name == "iree-hip-target" || name == "iree-rocm-target" || name == "iree-rocm-target-chip") {
    targets.has_gpu_name = true;
  } else if (name == "compile-to" || name == "compile-mode" || name == "compile-from") {
    targets.stops_early = true;
  }
}

Targets targets_of(const std::vector<std::string>& arguments) {
  Targets targets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const IreeOption option = iree_option(arguments[i]);
    if (option.name.empty()) continue;
    const std::string_view next = i + 1 < arguments.size() ? std::string_view(arguments[i + 1]) : "";
    take_option(option.name, option.value.value_or(next), targets);
  }
  return targets;
}

// `arguments`: those of iree-compile. One line, or "" if nothing is missing.
std::string target_advice(const std::vector<std::string>& arguments) {
  const Targets targets = targets_of(arguments);
  if (targets.has_local && !targets.has_backends)
    return "the device \"local\" needs a back end: --iree-hal-local-target-device-backends=llvm-cpu (or vmvx)";
  if (!targets.gpu.empty() && !targets.has_gpu_name)
    return "\"" + targets.gpu +
           "\" needs the name of a GPU: --iree-rocm-target=gfx942 (--iree-hip-target= in older versions)";
  if (!targets.has_device && !targets.stops_early)
    return "no device is named; unless the module names its own: --iree-hal-target-device=hip, amdgpu or local";
  return "";
}

// Finds out which of IREE's compilers a command runs, and where its own arguments begin.

struct IreeTool {
  std::string name;           // "iree-compile"
  std::string python_module;  // "iree.compiler.tools.scripts.iree_compile": what starts it from Python
  std::size_t arguments = 1;  // position of the first argument that the tool gets
  bool by_module = false;     // "python3 -m MODULE"
};

constexpr auto kTools = std::to_array<std::string_view>({"iree-compile", "iree-opt", "iree-link"});
constexpr std::string_view kScripts = "iree.compiler.tools.scripts.";
constexpr std::string_view kMain = ".__main__";

// The package of pip's scripts has a module for each tool.
std::string module_of(std::string_view tool) {
  std::string module(kScripts);
  module += tool;
  std::replace(module.begin(), module.end(), '-', '_');
  return module;
}

// "python", "python3", "python3.11", in any directory.
bool is_python(std::string_view program) {
  std::string_view name = base_name(program);
  if (!name.starts_with("python")) return false;
  name.remove_prefix(std::string_view("python").size());
  return name.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Position of the module's name in "python3 -P -m MODULE"; 0 if the command has another form.
std::size_t module_position(const std::vector<std::string>& argv) {
  constexpr auto kFlags = std::to_array<std::string_view>({"-B", "-E", "-I", "-P", "-s", "-S", "-u"});
  if (!is_python(argv[0])) return 0;
  std::size_t at = 1;
  while (at < argv.size() && std::find(kFlags.begin(), kFlags.end(), argv[at]) != kFlags.end()) ++at;
  return at + 1 < argv.size() && argv[at] == "-m" ? at + 1 : 0;
}

// Nothing for any other program.
std::optional<IreeTool> iree_tool_of(const std::vector<std::string>& argv) {
  if (argv.empty()) return std::nullopt;
  const std::size_t module_at = module_position(argv);
  const bool by_module = module_at != 0;
  std::string_view asked = by_module ? std::string_view(argv[module_at]) : base_name(argv[0]);
  if (by_module && asked.ends_with(kMain)) asked.remove_suffix(kMain.size());
  for (const std::string_view tool : kTools) {
    std::string module = module_of(tool);
    if (asked != (by_module ? std::string_view(module) : tool)) continue;
    return IreeTool{std::string(tool), std::move(module), module_at + 1, by_module};
  }
  return std::nullopt;
}

// One pass over a tool's own arguments.
class Reading {
 public:
  explicit Reading(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  std::optional<Uncacheable> read() {
    for (at_ = 0; at_ < arguments_.size(); ++at_)
      if (auto refusal = take(arguments_[at_])) return refusal;
    if (names_device(output_)) return Uncacheable{Reason::output_not_a_file, output_};
    if (input_.empty()) return Uncacheable{Reason::no_input, ""};
    return std::nullopt;
  }

  // For the miss history: without -o the tools print.
  std::string output() const { return output_.empty() || output_ == "-" ? input_ + ".out" : output_; }
  std::string only_input() const { return inputs_ == 1 ? input_ : ""; }

 private:
  std::optional<Uncacheable> take(const std::string& argument) {
    if (names_device(argument)) return Uncacheable{Reason::output_not_a_file, argument};
    if (argument == "-") return Uncacheable{Reason::standard_input, argument};
    const IreeOption option = iree_option(argument);
    if (option.name.empty()) {
      if (argument == "--") return std::nullopt;
      input_ = argument;
      ++inputs_;
      return std::nullopt;
    }
    if (const Reason refusal = iree_refusal(option); refusal != Reason::none) return Uncacheable{refusal, argument};
    if (option.value == "-" && !writes_file(option)) return Uncacheable{Reason::standard_input, argument};
    if (option.name == "o") take_output(option);
    return std::nullopt;
  }

  void take_output(const IreeOption& option) {
    if (option.value) {
      output_ = *option.value;
    } else if (at_ + 1 < arguments_.size()) {
      output_ = arguments_[++at_];
    }
  }

  const std::vector<std::string>& arguments_;
  std::size_t at_ = 0;
  std::string input_;  // or the value of an option, given as an argument of its own
  std::size_t inputs_ = 0;
  std::string output_;
};

OpaqueTraits traits_of(const IreeTool& tool, const std::vector<std::string>& arguments) {
  return {.asks_processor = true,
          .may_show_temporary_names = true,
          .python_module = tool.python_module,
          .by_python_module = tool.by_module,
          .refused_variables = iree_refused_variables(),
          .advice = tool.name == "iree-compile" ? target_advice(arguments) : ""};
}

// An input may be a link to a descriptor.
std::optional<std::string> descriptor_behind(const std::vector<std::string>& arguments,
                                             const std::string& working_directory) {
  for (const std::string& argument : arguments)
    if (!argument.starts_with('-') && leads_to_descriptor(join_path(working_directory, argument))) return argument;
  return std::nullopt;
}

}  // namespace

std::variant<Invocation, Uncacheable> parse_iree(const std::vector<std::string>& argv,
                                                 const std::string& working_directory) {
  const std::optional<IreeTool> tool = iree_tool_of(argv);
  if (!tool) return Uncacheable{Reason::not_a_compiler, argv.empty() ? "" : argv[0]};
  if (has_null(argv)) return Uncacheable{Reason::unknown_option, "an argument with a null byte"};
  Result<ExpandedArguments> expanded = expand_response_files(argv, working_directory);
  if (!expanded) return Uncacheable{Reason::response_file, expanded.error().message};
  if (std::optional<std::string> named = descriptor_among(expanded->arguments, working_directory))
    return Uncacheable{Reason::standard_input, *std::move(named)};
  const std::vector<std::string> arguments(expanded->arguments.begin() + static_cast<std::ptrdiff_t>(tool->arguments),
                                           expanded->arguments.end());
  Reading reading(arguments);
  if (auto refusal = reading.read()) return *std::move(refusal);
  if (std::optional<std::string> named = descriptor_behind(arguments, working_directory))
    return Uncacheable{Reason::standard_input, *std::move(named)};
  Invocation invocation;
  invocation.route = Route::is_opaque;
  invocation.opaque = traits_of(*tool, arguments);
  invocation.argv = argv;
  invocation.expanded = std::move(expanded->arguments);
  invocation.response_files = std::move(expanded->files);
  invocation.object = reading.output();
  invocation.opaque.only_input = reading.only_input();
  invocation.without_archs = argv;
  return invocation;
}

std::variant<Invocation, Uncacheable> IreeKind::read(const Command& command) const {
  return parse_iree(command.argv, command.working_directory);
}

}  // namespace hipcache::compiler
