#include "compiler/iree/iree_options.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

struct Rule {
  const char* reason;
  std::initializer_list<std::string_view> exact;
  std::initializer_list<std::string_view> prefixes;
};

const std::array kRules = {
    Rule{reason::kDriverInformation,
         {"h", "version", "print-options", "print-all-options", "show-dialects", "list-passes", "iree-list-plugins",
          "iree-print-plugin-info", "iree-llvmcpu-list-targets"},
         {"help", "iree-hal-list-"}},
    Rule{reason::kTimeTrace, {"mlir-timing", "time-passes", "time-phases"}, {"time-trace", "profile-actions-to"}},
    Rule{reason::kStatistics, {"mlir-pass-statistics", "track-memory"}, {"stats", "info-output-file"}},
    Rule{reason::kPlugin, {"load", "iree-load-plugin"}, {"load-pass-plugin", "load-dialect-plugin"}},
    // They lie in the temporary directory, which a step has for itself.
    Rule{reason::kSaveTemps, {"iree-llvmcpu-keep-linker-artifacts"}, {}},
};

template <typename List>
bool holds(const List& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

template <typename List>
bool begins(const List& prefixes, std::string_view what) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return what.starts_with(prefix); });
}

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
  for (const Rule& rule : kRules)
    if (holds(rule.exact, option.name) || begins(rule.prefixes, option.name)) return rule.reason;
  return nullptr;
}

bool writes_file(const IreeOption& option) {
  return option.name == "o" || option.name.ends_with("-to") || option.name.find("dump") != std::string_view::npos ||
         option.name.find("output-file") != std::string_view::npos;
}

std::vector<RefusedVariable> iree_refused_variables() {
  return {{"IREE_LOAD_PLUGINS", reason::kPlugin}, {"IREE_PRESERVE_DYLIB_TEMP_FILES", reason::kSaveTemps}};
}

}  // namespace hipcache::compiler
