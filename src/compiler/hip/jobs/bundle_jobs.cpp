#include "compiler/hip/jobs/bundle_jobs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "compiler/hip/jobs/link_jobs.h"
#include "hipcache/compiler/cc1.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::hip {
namespace {

namespace facts = compiler::facts;
using compiler::bare_option;
using compiler::option_has;
using compiler::Tool;

constexpr std::string_view kType = "-type=";
constexpr std::string_view kTargets = "-targets=";
constexpr std::string_view kInput = "-input=";
constexpr std::string_view kInputList = "-inputs=";
constexpr std::string_view kOutput = "-output=";
constexpr std::string_view kOutputList = "-outputs=";
constexpr std::string_view kNoHost = "/dev/null";
constexpr std::string_view kHostTarget = "host-";

Error unusual_bundle(const std::string& what) { return Error{"the compiler's plan has a bundle job " + what}; }

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
  return unusual_bundle("for the target " + std::string(target));
}

bool is_type(std::string_view type) { return type == "o" || type == "bc" || type == "ll" || type == "s"; }

// The job's targets and inputs in the same order, including the host's.
struct Lists {
  std::vector<std::string> targets;
  std::vector<std::string> inputs;
};

Status take(BundleJob& result, Lists& lists, std::string_view argument) {
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
  } else if (!option_has(bare_option(argument), facts::bundles, Tool::bundler)) {
    return unusual_bundle("with the argument " + std::string(argument));
  }
  return done();
}

Status take_host(BundleJob& result, const std::string& input, bool is_first, bool is_last) {
  if (result.host != BundledHost::none) return unusual_bundle("with two hosts");
  const bool has_file = input != kNoHost;
  if (has_file ? !is_last : !is_first) return unusual_bundle("whose host is in another place");
  result.host = has_file ? BundledHost::with_file : BundledHost::without_file;
  if (has_file) result.host_input = input;
  return done();
}

Status take_device(BundleJob& result, const std::string& target, const std::string& input) {
  Result<compiler::ArchId> arch = arch_of(target);
  if (!arch) return arch.error();
  if (std::find(result.archs.begin(), result.archs.end(), *arch) != result.archs.end())
    return unusual_bundle("with the arch " + arch->name + " twice");
  result.archs.push_back(*std::move(arch));
  result.inputs.push_back(input);
  return done();
}

Status pair_up(BundleJob& result, const Lists& lists) {
  if (lists.targets.size() != lists.inputs.size()) return unusual_bundle("with an input more or less than targets");
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
  if (result.archs.empty()) return unusual_bundle("for no device");
  if (result.output.empty()) return unusual_bundle("without an output");
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

namespace {

constexpr std::size_t kOutputAt = 2;  // the program, "-o", the output, the images
constexpr std::size_t kFirstImage = 3;
constexpr std::string_view kFile = "--image=file=";
constexpr std::string_view kArch = ",triple=amdgcn-amd-amdhsa,arch=";
constexpr std::string_view kKind = ",kind=hip";
constexpr std::string_view kFeature = ",feature=";

Error unusual_package(const std::string& what) { return Error{"the compiler's plan has a package job " + what}; }

// An image is "--image=file=F,triple=amdgcn-amd-amdhsa,arch=gfx90a:xnack+,kind=hip,feature=+xnack". The packager opens
// only the file; it copies the other values into its output as text.
Status take_image(BundleJob& result, std::string_view argument) {
  const auto arch = argument.find(kArch);
  const auto kind = argument.find(kKind);
  if (!argument.starts_with(kFile) || arch == std::string_view::npos || kind == std::string_view::npos || kind < arch)
    return unusual_package("with the argument " + std::string(argument));
  const std::string_view file = argument.substr(kFile.size(), arch - kFile.size());
  const std::string_view features = argument.substr(kind + kKind.size());
  if (file.empty() || file.find(',') != std::string_view::npos ||
      !(features.empty() || (features.starts_with(kFeature) && features.find("file=") == std::string_view::npos)))
    return unusual_package("with the argument " + std::string(argument));
  const compiler::ArchId id{std::string(argument.substr(arch + kArch.size(), kind - arch - kArch.size()))};
  if (!is_arch_name(id.name)) return unusual_package("for the arch " + id.name);
  if (std::find(result.archs.begin(), result.archs.end(), id) != result.archs.end())
    return unusual_package("with the arch " + id.name + " twice");
  result.archs.push_back(id);
  result.inputs.emplace_back(file);
  return done();
}

std::string image_of(std::string_view argument, const std::string& input) {
  return std::string(kFile) + input + std::string(argument.substr(argument.find(kArch)));
}

}  // namespace

bool is_package_job(const Job& job) {
  return job.size() > kFirstImage && job[1] == "-o" && job[kFirstImage].starts_with("--image=");
}

Result<BundleJob> read_package_job(const Job& job) {
  BundleJob result;
  result.job = job;
  result.is_package = true;
  result.output = job[kOutputAt];
  for (std::size_t i = kFirstImage; i < job.size(); ++i)
    if (Status taken = take_image(result, job[i]); !taken) return taken.error();
  return result;
}

StepCommand package_command(const BundleJob& job, const BundleNames& names) {
  std::vector<std::string> argv = job.job;
  argv[kOutputAt] = names.output;
  for (std::size_t i = 0; i < names.inputs.size(); ++i)
    argv[kFirstImage + i] = image_of(argv[kFirstImage + i], names.inputs[i]);
  return {job.job[0], std::move(argv)};
}

namespace {

constexpr std::string_view kFatbinOnly = "--emit-fatbin-only";
constexpr std::string_view kExtract = "--should-extract=";
constexpr std::string_view kForCompiler = "--device-compiler=amdgcn-amd-amdhsa=";
constexpr std::string_view kForEveryCompiler = "--device-compiler=";  // since clang 23, for options of all targets
constexpr std::string_view kForLinker = "--device-linker=amdgcn-amd-amdhsa=";
constexpr std::string_view kJobCount = "--wrapper-jobs=";

// The compiler that the wrapper runs for each device is a driver again. The options of -mllvm come one by one.
bool is_quiet_for_compiler(std::string_view option) {
  return option == "-mllvm" || compiler::is_quiet_driver_option(std::string(option));
}

bool is_quiet_for_linker(std::string_view option) {
  return option == "-mllvm" || is_quiet_device_link_option(option) ||
         compiler::is_quiet_backend_option(std::string(option));
}

Error unusual_wrapper(const std::string& argument) {
  return Error{"the compiler's plan has a linker wrapper with the argument " + argument};
}

}  // namespace

bool splits_debug_information(std::string_view argument) {
  return argument.starts_with("--device-") && argument.find("=-gsplit-dwarf") != std::string_view::npos;
}

bool is_wrapper_option(std::string_view argument) {
  if (splits_debug_information(argument)) return false;
  if (option_has(bare_option(argument), facts::is_safe, Tool::wrapper)) return true;
  if (argument.starts_with(kExtract)) return is_arch_name(argument.substr(kExtract.size()));
  if (argument.starts_with(kForCompiler)) return is_quiet_for_compiler(argument.substr(kForCompiler.size()));
  if (argument.starts_with(kForEveryCompiler)) return is_quiet_for_compiler(argument.substr(kForEveryCompiler.size()));
  return argument.starts_with(kForLinker) && is_quiet_for_linker(argument.substr(kForLinker.size()));
}

std::vector<std::string> without_job_count(std::vector<std::string> argv) {
  std::erase_if(argv, [](const std::string& argument) { return argument.starts_with(kJobCount); });
  return argv;
}

bool is_linker_wrapper_job(const Job& job) { return std::find(job.begin(), job.end(), kFatbinOnly) != job.end(); }

Result<LinkerWrapperJob> read_linker_wrapper_job(const Job& job) {
  LinkerWrapperJob result{.job = job};
  for (std::size_t i = 1; i < job.size(); ++i) {
    if (job[i] == "-o" && i + 1 < job.size() && result.output == 0) {
      result.output = ++i;
    } else if (job[i].starts_with('/') && result.input == 0) {
      result.input = i;
    } else if (!is_wrapper_option(job[i])) {
      return unusual_wrapper(job[i]);
    }
  }
  if (result.input == 0 || result.output == 0)
    return Error{"the compiler's plan has a linker wrapper without input or output"};
  return result;
}

StepCommand linker_wrapper_command(const LinkerWrapperJob& job, const std::string& input, const std::string& output) {
  std::vector<std::string> argv = job.job;
  argv[job.input] = input;
  argv[job.output] = output;
  return {job.job[0], std::move(argv)};
}

StepCommand dry_run_command(const LinkerWrapperJob& job, const std::string& input, const std::string& output) {
  StepCommand command = linker_wrapper_command(job, input, output);
  // Jobs at once print into each other's lines.
  command.argv = without_job_count(std::move(command.argv));
  command.argv.insert(command.argv.begin() + 1, "--dry-run");
  return command;
}

std::string name_in_wrapper(const std::string& package_stem, const compiler::ArchId& arch) {
  return package_stem + "-amdgcn-amd-amdhsa-" + arch.name + "-000000.o";
}

}  // namespace hipcache::hip
