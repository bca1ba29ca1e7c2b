#include "compiler/hip/jobs/bundle_job.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hipcache/base/text.h"

namespace hipcache::hip {
namespace {

constexpr std::string_view kType = "-type=";
constexpr std::string_view kTargets = "-targets=";
constexpr std::string_view kInput = "-input=";
constexpr std::string_view kInputList = "-inputs=";
constexpr std::string_view kOutput = "-output=";
constexpr std::string_view kOutputList = "-outputs=";
// The second one since clang 22.
constexpr std::array<std::string_view, 2> kCompressionLevel = {"-compression-level=", "--compression-level="};
constexpr std::string_view kNoHost = "/dev/null";
constexpr std::string_view kHostTarget = "host-";

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

// A target is "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-". With code object 2 and 3, and in a bundle of files other than
// code objects, it begins with "hip-amdgcn-...". There clang 15 to 19 omit the environment, "...-amdhsa-gfx906", and
// clang 22 writes "...-amdhsa-unknown-gfx906".
Result<compiler::ArchId> arch_of(std::string_view target) {
  for (std::string_view kind : {"hipv4-", "hip-"}) {
    for (std::string_view triple : {"amdgcn-amd-amdhsa--", "amdgcn-amd-amdhsa-unknown-", "amdgcn-amd-amdhsa-"}) {
      if (!target.starts_with(kind) || !target.substr(kind.size()).starts_with(triple)) continue;
      const std::string_view name = target.substr(kind.size() + triple.size());
      if (is_arch_name(name)) return compiler::ArchId{std::string(name)};
    }
  }
  return unusual("for the target " + std::string(target));
}

bool is_type(std::string_view type) { return type == "o" || type == "bc" || type == "ll" || type == "s"; }

// The job's targets and inputs in the same order, including the host's.
struct Lists {
  std::vector<std::string> targets;
  std::vector<std::string> inputs;
};

Status take(BundleJob& result, Lists& lists, std::string_view argument) {
  if (argument == "-bundle-align=4096" || argument == "-compress" || argument == "--compress") return done();
  if (argument.starts_with(kType) && result.type.empty() && is_type(argument.substr(kType.size()))) {
    result.type = argument.substr(kType.size());
  } else if (argument.starts_with(kTargets) && lists.targets.empty()) {
    lists.targets = split(argument.substr(kTargets.size()));
  } else if (argument.starts_with(kInput)) {
    lists.inputs.emplace_back(argument.substr(kInput.size()));
  } else if (argument.starts_with(kInputList) && lists.inputs.empty()) {
    lists.inputs = split(argument.substr(kInputList.size()));
  } else if (argument.starts_with(kOutput) && result.output.empty()) {
    result.output = argument.substr(kOutput.size());
  } else if (argument.starts_with(kOutputList) && result.output.empty()) {
    result.output = argument.substr(kOutputList.size());
  } else if (!holds_prefix_of(kCompressionLevel, argument)) {
    return unusual("with the argument " + std::string(argument));
  }
  return done();
}

Status take_host(BundleJob& result, const std::string& input, bool is_first, bool is_last) {
  if (result.host != BundledHost::none) return unusual("with two hosts");
  const bool has_file = input != kNoHost;
  if (has_file ? !is_last : !is_first) return unusual("whose host is in another place");
  result.host = has_file ? BundledHost::with_file : BundledHost::without_file;
  if (has_file) result.host_input = input;
  return done();
}

Status take_device(BundleJob& result, const std::string& target, const std::string& input) {
  Result<compiler::ArchId> arch = arch_of(target);
  if (!arch) return arch.error();
  if (std::find(result.archs.begin(), result.archs.end(), *arch) != result.archs.end())
    return unusual("with the arch " + arch->name + " twice");
  result.archs.push_back(*std::move(arch));
  result.inputs.push_back(input);
  return done();
}

Status pair_up(BundleJob& result, const Lists& lists) {
  if (lists.targets.size() != lists.inputs.size()) return unusual("with an input more or less than targets");
  for (std::size_t i = 0; i < lists.targets.size(); ++i) {
    Status taken = lists.targets[i].starts_with(kHostTarget)
                       ? take_host(result, lists.inputs[i], i == 0, i + 1 == lists.targets.size())
                       : take_device(result, lists.targets[i], lists.inputs[i]);
    if (!taken) return taken;
  }
  return done();
}

std::vector<std::string> all_inputs(const BundleJob& job, const BundleNames& names) {
  std::vector<std::string> inputs = names.inputs;
  if (job.host == BundledHost::without_file) inputs.insert(inputs.begin(), std::string(kNoHost));
  if (job.host == BundledHost::with_file) inputs.push_back(names.host_input);
  return inputs;
}

std::string joined(const std::vector<std::string>& inputs) {
  std::string list;
  for (const std::string& input : inputs) list += (list.empty() ? "" : ",") + input;
  return list;
}

}  // namespace

bool is_arch_name(std::string_view name) {
  return name.starts_with("gfx") &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:+-") == std::string_view::npos;
}

bool is_bundle_job(const Job& job) { return job.size() > 1 && job[1].starts_with(kType); }

Result<BundleJob> read_bundle_job(const Job& job) {
  BundleJob result;
  result.job = job;
  Lists lists;
  for (std::size_t i = 1; i < job.size(); ++i) {
    if (Status taken = take(result, lists, job[i]); !taken) return taken.error();
  }
  if (Status paired = pair_up(result, lists); !paired) return paired.error();
  if (result.archs.empty()) return unusual("for no device");
  if (result.output.empty()) return unusual("without an output");
  return result;
}

StepCommand bundle_command(const BundleJob& job, const BundleNames& names) {
  const std::vector<std::string> inputs = all_inputs(job, names);
  std::vector<std::string> argv = job.job;
  std::size_t next = 0;
  for (std::string& argument : argv) {
    if (argument.starts_with(kInputList)) {
      argument = std::string(kInputList) + joined(inputs);
    } else if (argument.starts_with(kInput)) {
      argument = std::string(kInput) + inputs[next++];
    } else if (argument.starts_with(kOutput)) {
      argument = std::string(kOutput) + names.output;
    } else if (argument.starts_with(kOutputList)) {
      argument = std::string(kOutputList) + names.output;
    }
  }
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::hip
