#include "compiler/hip/jobs/unbundle_job.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace hipcache::hip {
namespace {

constexpr std::string_view kInput = "-input=";
constexpr std::string_view kOutput = "-output=";
constexpr std::string_view kTargets = "-targets=";
constexpr std::array<std::string_view, 5> kFlags = {"-unbundle", "-type=o", "-type=a", "-allow-missing-bundles",
                                                    "-hip-openmp-compatible"};

Error unusual(const std::string& what) { return Error{"the compiler's plan has an unbundle job " + what}; }

std::size_t names_in(std::string_view list) {
  return static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1;
}

}  // namespace

bool is_unbundle_job(const Job& job) { return std::find(job.begin(), job.end(), "-unbundle") != job.end(); }

Result<UnbundleJob> read_unbundle_job(const Job& job) {
  UnbundleJob result{job, "", "", {}};
  std::string_view targets;
  for (std::size_t i = 1; i < job.size(); ++i) {
    const std::string_view argument = job[i];
    if (argument.starts_with(kInput) && result.input.empty()) {
      result.input = argument.substr(kInput.size());
    } else if (argument.starts_with(kOutput)) {
      result.outputs.emplace_back(argument.substr(kOutput.size()));
    } else if (argument.starts_with(kTargets) && targets.empty()) {
      targets = argument.substr(kTargets.size());
    } else if (std::find(kFlags.begin(), kFlags.end(), argument) == kFlags.end()) {
      return unusual("with the argument " + job[i]);
    }
  }
  if (result.input.empty()) return unusual("without an input");
  if (names_in(targets) != result.outputs.size()) return unusual("with an output more or less than targets");
  result.subject = result.input;
  if (result.outputs.size() == 1) result.subject.append(" ").append(targets);
  return result;
}

StepCommand unbundle_command(const UnbundleJob& job, const std::vector<std::string>& outputs) {
  std::vector<std::string> argv = job.job;
  std::size_t next = 0;
  for (std::string& argument : argv)
    if (argument.starts_with(kOutput)) argument = std::string(kOutput) + outputs[next++];
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::hip
