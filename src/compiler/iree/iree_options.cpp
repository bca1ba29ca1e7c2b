#include "compiler/iree/iree_options.h"

#include "compiler/command_line/option_rule.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

const OptionRule kRules[] = {
    {reason::kDriverInformation,
     {"h", "version", "print-options", "print-all-options", "show-dialects", "list-passes", "iree-list-plugins",
      "iree-print-plugin-info", "iree-llvmcpu-list-targets"},
     {"help", "iree-hal-list-"}},
    {reason::kTimeTrace, {"mlir-timing", "time-passes", "time-phases"}, {"time-trace", "profile-actions-to"}},
    {reason::kStatistics, {"mlir-pass-statistics", "track-memory"}, {"stats", "info-output-file"}},
    {reason::kPlugin, {"load", "iree-load-plugin"}, {"load-pass-plugin", "load-dialect-plugin"}},
    // They lie in the temporary directory, which a step has for itself.
    {reason::kSaveTemps, {"iree-llvmcpu-keep-linker-artifacts"}, {}},
};

}  // namespace

IreeOption iree_option(std::string_view argument) {
  if (!argument.starts_with('-') || argument == "-" || argument == "--") return {};
  argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos) return {argument, std::nullopt};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

const char* iree_refusal(const IreeOption& option) {
  if (option.value == "false" || option.value == "0") return nullptr;
  return refusal_by(kRules, option.name);
}

bool writes_file(const IreeOption& option) {
  return option.name == "o" || option.name.ends_with("-to") || option.name.find("dump") != std::string_view::npos ||
         option.name.find("output-file") != std::string_view::npos;
}

std::vector<RefusedVariable> iree_refused_variables() {
  return {{"IREE_LOAD_PLUGINS", reason::kPlugin}, {"IREE_PRESERVE_DYLIB_TEMP_FILES", reason::kSaveTemps}};
}

}  // namespace hipcache::compiler
