#include "compiler/hip/jobs/linker_wrapper_job.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "compiler/hip/jobs/bundle_job.h"
#include "compiler/hip/jobs/device_job.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/cc1.h"

namespace hipcache::hip {
namespace {

constexpr std::string_view kFatbinOnly = "--emit-fatbin-only";
constexpr std::string_view kExtract = "--should-extract=";
constexpr std::string_view kForCompiler = "--device-compiler=amdgcn-amd-amdhsa=";
constexpr std::string_view kForEveryCompiler = "--device-compiler=";  // since clang 23, for options of all targets
constexpr std::string_view kForLinker = "--device-linker=amdgcn-amd-amdhsa=";
constexpr std::string_view kJobCount = "--wrapper-jobs=";
constexpr std::array<std::string_view, 6> kSettings = {"--host-triple=", "--linker-path=/",      "--opt-level=O",
                                                       "--cuda-path=",   "--compression-level=", kJobCount};

// The compiler that the wrapper runs for each device is a driver again. The options of -mllvm come one by one.
bool is_quiet_for_compiler(std::string_view option) {
  return option == "-mllvm" || compiler::is_quiet_driver_option(std::string(option));
}

bool is_quiet_for_linker(std::string_view option) {
  return option == "-mllvm" || is_quiet_device_link_option(option) ||
         compiler::is_quiet_backend_option(std::string(option));
}

Error unusual(const std::string& argument) {
  return Error{"the compiler's plan has a linker wrapper with the argument " + argument};
}

}  // namespace

bool splits_debug_information(std::string_view argument) {
  return argument.starts_with("--device-") && argument.find("=-gsplit-dwarf") != std::string_view::npos;
}

bool is_wrapper_option(std::string_view argument) {
  if (splits_debug_information(argument)) return false;
  if (argument == kFatbinOnly || argument == "--compress" || argument == "--no-canonical-prefixes" ||
      holds_prefix_of(kSettings, argument))
    return true;
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
      return unusual(job[i]);
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
