#include "cli/doctor/check_settings.h"

#include <array>

#include "cli/doctor/program_kind.h"
#include "hipcache/config/conflicts.h"
#include "hipcache/config/variables.h"

namespace hipcache::cli {
namespace {

void check_variables(Examination& examination) {
  for (const config::UnknownVariable& unknown : config::unknown_variables(examination.environment)) {
    if (unknown.nearest.empty())
      examination.findings.note(unknown.name + " is no variable of hipcache; hipcache --show-config lists them");
    else
      examination.findings.warning(unknown.name + " is no variable of hipcache; is " + unknown.nearest + " meant?");
  }
  if (const std::optional<std::string> file = config::missing_file(examination.variable))
    examination.findings.warning("HIPCACHE_CONFIG names " + *file + ", which does not exist; make it, or unset it");
}

void check_cache_directory(Examination& examination) {
  const std::string directory = examination.variable("HIPCACHE_DIR").value_or("");
  if (!directory.empty() && directory.front() != '/')
    examination.findings.warning("HIPCACHE_DIR is " + directory +
                                 ": each working directory has a cache of its own; give an absolute path");
}

// Build tools take the compiler, or what runs before it, from these.
constexpr auto kOfBuildTools =
    std::to_array<const char*>({"CC", "CXX", "HIPCXX", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER",
                                "CMAKE_HIP_COMPILER_LAUNCHER", "HIP_CLANG_LAUNCHER"});

void check_other_caches(Examination& examination) {
  for (const char* name : kOfBuildTools) {
    const std::string value = examination.variable(name).value_or("");
    const std::string program = value.substr(0, value.find(' '));
    if (is_other_cache(program))
      examination.findings.warning(std::string(name) + " is " + value + ": another cache is in the way; use hipcache " +
                                   "in its place");
  }
}

std::string given_settings(const config::Lookup& variable) {
  const Result<std::vector<config::Described>> described = config::describe(variable);
  std::string given;
  if (!described) return given;
  for (const config::Described& setting : *described)
    if (setting.origin != config::kDefaultOrigin) given.append(given.empty() ? "" : ", ").append(setting.key);
  return given;
}

}  // namespace

void check_settings(Examination& examination) {
  Findings& findings = examination.findings;
  check_variables(examination);
  check_cache_directory(examination);
  check_other_caches(examination);
  if (!examination.settings) {
    findings.error(examination.settings.error().message);
    findings.note("what else is checked needs valid settings");
    return;
  }
  const std::string given = given_settings(examination.variable);
  findings.ok(given.empty() ? "settings: all are at their defaults" : "settings are valid; given are " + given);
  for (config::Conflict& conflict : config::conflicts(*examination.settings))
    findings.add(conflict.is_mistake ? Level::warning : Level::note, std::move(conflict.text));
}

}  // namespace hipcache::cli
