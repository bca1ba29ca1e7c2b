#include "hipcache/compiler/iree/iree_command.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/command_line/descriptors.h"
#include "compiler/command_line/response_files.h"
#include "compiler/iree/iree_options.h"
#include "compiler/iree/iree_tool.h"
#include "compiler/iree/target_advice.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

// One pass over a tool's own arguments.
class Reading {
 public:
  explicit Reading(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  std::optional<Uncacheable> read() {
    for (at_ = 0; at_ < arguments_.size(); ++at_)
      if (auto refusal = take(arguments_[at_])) return refusal;
    if (names_device(output_)) return Uncacheable{reason::kOutputNotAFile, output_};
    if (input_.empty()) return Uncacheable{reason::kNoInput, ""};
    return std::nullopt;
  }

  // For the miss history: without -o the tools print.
  std::string output() const { return output_.empty() || output_ == "-" ? input_ + ".out" : output_; }
  std::string only_input() const { return inputs_ == 1 ? input_ : ""; }

 private:
  std::optional<Uncacheable> take(const std::string& argument) {
    if (names_device(argument)) return Uncacheable{reason::kOutputNotAFile, argument};
    if (argument == "-") return Uncacheable{reason::kStandardInput, argument};
    const IreeOption option = iree_option(argument);
    if (option.name.empty()) {
      if (argument == "--") return std::nullopt;
      input_ = argument;
      ++inputs_;
      return std::nullopt;
    }
    if (const char* refusal = iree_refusal(option)) return Uncacheable{refusal, argument};
    if (option.value == "-" && !writes_file(option)) return Uncacheable{reason::kStandardInput, argument};
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
std::string descriptor_behind(const std::vector<std::string>& arguments, const std::string& working_directory) {
  for (const std::string& argument : arguments)
    if (!argument.starts_with('-') && leads_to_descriptor(join_path(working_directory, argument))) return argument;
  return "";
}

}  // namespace

std::variant<Invocation, Uncacheable> parse_iree(const std::vector<std::string>& argv,
                                                 const std::string& working_directory) {
  const std::optional<IreeTool> tool = iree_tool_of(argv);
  if (!tool) return Uncacheable{reason::kNotACompiler, argv.empty() ? "" : argv[0]};
  if (has_null(argv)) return Uncacheable{reason::kUnknownOption, "an argument with a null byte"};
  Result<ExpandedArguments> expanded = expand_response_files(argv, working_directory);
  if (!expanded) return Uncacheable{reason::kResponseFile, expanded.error().message};
  if (std::string named = descriptor_among(expanded->arguments, working_directory); !named.empty())
    return Uncacheable{reason::kStandardInput, std::move(named)};
  const std::vector<std::string> arguments(expanded->arguments.begin() + static_cast<std::ptrdiff_t>(tool->arguments),
                                           expanded->arguments.end());
  Reading reading(arguments);
  if (auto refusal = reading.read()) return *std::move(refusal);
  if (std::string named = descriptor_behind(arguments, working_directory); !named.empty())
    return Uncacheable{reason::kStandardInput, std::move(named)};
  Invocation invocation;
  invocation.route = Route::is_opaque;
  invocation.making = Making::compile;
  invocation.argv = argv;
  invocation.expanded = std::move(expanded->arguments);
  invocation.response_files = std::move(expanded->files);
  invocation.object = reading.output();
  invocation.only_input = reading.only_input();
  invocation.without_archs = argv;
  invocation.opaque = traits_of(*tool, arguments);
  return invocation;
}

std::variant<Invocation, Uncacheable> IreeKind::read(const Command& command) const {
  return parse_iree(command.argv, command.working_directory);
}

}  // namespace hipcache::compiler
