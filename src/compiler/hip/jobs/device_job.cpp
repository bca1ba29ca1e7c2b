#include "compiler/hip/jobs/device_job.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hipcache/compiler/cc1.h"

namespace hipcache::hip {
namespace {

constexpr std::array<std::string_view, 5> kFlags = {"--no-undefined", "-shared", "--whole-archive",
                                                    "--no-whole-archive", "-plugin-opt=thinlto"};
constexpr std::array<std::string_view, 6> kValues = {
    "--lto-CGO", "--lto-O", "--lto-partitions=", "-plugin-opt=O", "-plugin-opt=mcpu=", "--compress-debug-sections="};

constexpr std::string_view kDwoDirectory = "-plugin-opt=dwo_dir=";

// The value is a file that lld reads, so it is an input like any other.
constexpr std::string_view kProfile = "-plugin-opt=cs-profile-path=";

// Whether it is a value as in "--lto-CGO2": a level or a name, never a path.
bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

// Asks for remarks, which are messages like warnings. Those of the other two options may name temporary files.
constexpr std::string_view kRemarks = "-pass-remarks-analysis=";

bool is_backend_option(std::string_view argument) {
  constexpr std::string_view prefix = "-plugin-opt=-";
  if (argument.starts_with("--")) argument.remove_prefix(1);  // clang 15 writes some with two dashes
  if (!argument.starts_with(prefix)) return false;
  const std::string_view option = argument.substr(prefix.size() - 1);
  return option.starts_with(kRemarks) || compiler::is_quiet_backend_option(std::string(option));
}

}  // namespace

bool is_quiet_device_link_option(std::string_view argument) {
  if (std::find(kFlags.begin(), kFlags.end(), argument) != kFlags.end() || argument.starts_with(kProfile)) return true;
  const auto matches = [&](std::string_view prefix) {
    return argument.starts_with(prefix) && is_word(argument.substr(prefix.size()));
  };
  return std::any_of(kValues.begin(), kValues.end(), matches) || is_backend_option(argument);
}

namespace {

Error unusual(const std::string& argument) {
  return Error{"the compiler's plan has a device link with the argument " + argument};
}

}  // namespace

bool is_link_job(const Job& job) { return job.size() > 3 && job[1] == "-flavor" && job[2] == "gnu"; }

Result<LinkJob> read_link_job(const Job& job) {
  LinkJob result{.job = job};
  for (std::size_t i = 3; i < job.size(); ++i) {
    const bool has_next = i + 1 < job.size();
    if (job[i] == "-o" && has_next && result.output == 0) {
      result.output = ++i;
    } else if (job[i] == "-m" && has_next && job[i + 1] == "elf64_amdgpu") {
      ++i;
    } else if (job[i].starts_with("/")) {
      result.inputs.push_back(i);
    } else if (job[i].starts_with(kDwoDirectory) && result.dwo_directory == 0) {
      result.dwo_directory = i;
    } else if (!is_quiet_device_link_option(job[i])) {
      return unusual(job[i]);
    }
  }
  if (result.inputs.empty() || result.output == 0)
    return Error{"the compiler's plan has a device link of no input or output"};
  return result;
}

StepCommand link_command(const LinkJob& job, const std::vector<std::string>& inputs, const std::string& output) {
  std::vector<std::string> argv = job.job;
  for (std::size_t i = 0; i < inputs.size(); ++i) argv[job.inputs[i]] = inputs[i];
  argv[job.output] = output;
  if (job.dwo_directory != 0) argv[job.dwo_directory] = std::string(kDwoDirectory) + output + "_dwo";
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::hip
