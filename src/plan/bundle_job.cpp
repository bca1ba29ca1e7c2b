#include "plan/bundle_job.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hipcache::plan {
namespace {

constexpr std::string_view kTargets = "-targets=";
constexpr std::string_view kInput = "-input=";
constexpr std::string_view kInputList = "-inputs=";
constexpr std::string_view kOutput = "-output=";
constexpr std::string_view kOutputList = "-outputs=";
constexpr std::string_view kHostInput = "/dev/null";

Error unusual(const std::string& what) { return Error{"the compiler's plan has a bundle job " + what}; }

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (;;) {
    const auto comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

bool is_arch_name(std::string_view name) {
  return name.starts_with("gfx") &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:+-") == std::string_view::npos;
}

// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-" and, with code object 2 and 3, "hip-amdgcn-...".
Result<command::ArchId> arch_of(std::string_view target) {
  for (std::string_view prefix : {"hipv4-amdgcn-amd-amdhsa--", "hip-amdgcn-amd-amdhsa--"}) {
    if (target.starts_with(prefix) && is_arch_name(target.substr(prefix.size()))) {
      return command::ArchId{std::string(target.substr(prefix.size()))};
    }
  }
  return unusual("for the target " + std::string(target));
}

Status take_targets(BundleJob& result, std::string_view list) {
  const std::vector<std::string> targets = split(list);
  if (!result.archs.empty()) return unusual("with two lists of targets");
  if (!targets[0].starts_with("host-")) return unusual("whose first target is not the host");
  for (std::size_t i = 1; i < targets.size(); ++i) {
    Result<command::ArchId> arch = arch_of(targets[i]);
    if (!arch) return arch.error();
    if (std::find(result.archs.begin(), result.archs.end(), *arch) != result.archs.end()) {
      return unusual("with the arch " + arch->name + " twice");
    }
    result.archs.push_back(*std::move(arch));
  }
  return done();
}

Status take(BundleJob& result, std::string_view argument) {
  if (argument == "-type=o" || argument == "-bundle-align=4096") return done();
  if (argument.starts_with(kTargets)) return take_targets(result, argument.substr(kTargets.size()));
  if (argument.starts_with(kInput)) {
    result.inputs.emplace_back(argument.substr(kInput.size()));
  } else if (argument.starts_with(kInputList) && result.inputs.empty()) {
    result.inputs = split(argument.substr(kInputList.size()));
  } else if (argument.starts_with(kOutput) && result.output.empty()) {
    result.output = argument.substr(kOutput.size());
  } else if (argument.starts_with(kOutputList) && result.output.empty()) {
    result.output = argument.substr(kOutputList.size());
  } else {
    return unusual("with the argument " + std::string(argument));
  }
  return done();
}

std::string joined(const std::vector<std::string>& inputs) {
  std::string list(kHostInput);
  for (const std::string& input : inputs) list += "," + input;
  return list;
}

}  // namespace

bool is_bundle_job(const Job& job) { return job.size() > 1 && job[1] == "-type=o"; }

Result<BundleJob> read_bundle_job(const Job& job) {
  BundleJob result;
  result.job = job;
  for (std::size_t i = 1; i < job.size(); ++i) {
    if (Status taken = take(result, job[i]); !taken) return taken.error();
  }
  if (result.inputs.empty() || result.inputs[0] != kHostInput) return unusual("whose first input is not /dev/null");
  result.inputs.erase(result.inputs.begin());
  if (result.archs.empty() || result.archs.size() != result.inputs.size())
    return unusual("with an input more or less than targets");
  if (result.output.empty()) return unusual("without an output");
  return result;
}

StepCommand bundle_command(const BundleJob& job, const std::vector<std::string>& inputs, const std::string& output) {
  std::vector<std::string> argv = job.job;
  std::size_t next = 0;
  bool host_passed = false;
  for (std::string& argument : argv) {
    if (argument.starts_with(kInputList)) {
      argument = std::string(kInputList) + joined(inputs);
    } else if (argument.starts_with(kInput) && !host_passed) {
      host_passed = true;
    } else if (argument.starts_with(kInput)) {
      argument = std::string(kInput) + inputs[next++];
    } else if (argument.starts_with(kOutput)) {
      argument = std::string(kOutput) + output;
    } else if (argument.starts_with(kOutputList)) {
      argument = std::string(kOutputList) + output;
    }
  }
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::plan
