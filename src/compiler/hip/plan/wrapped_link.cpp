#include "compiler/hip/plan/wrapped_link.h"

#include <algorithm>
#include <utility>

#include "compiler/hip/jobs/host_link_job.h"
#include "compiler/hip/jobs/linker_wrapper_job.h"
#include "hipcache/base/files.h"

namespace hipcache::hip {
namespace {

constexpr const char* kProgramName = "program";

Error unusual(const std::string& what) { return Error{"the compiler's plan of a link " + what}; }

// The host's linker gets all arguments but the wrapper's own.
Job host_linker_of(const Job& job) {
  Job linker;
  for (const std::string& argument : job)
    if (argument != "--" && !is_wrapper_option(argument)) linker.push_back(argument);
  return linker;
}

std::vector<std::string> with_output(std::vector<std::string> argv, const std::string& output) {
  for (std::size_t i = 0; i + 1 < argv.size(); ++i)
    if (argv[i] == "-o") argv[i + 1] = output;
  return argv;
}

}  // namespace

bool is_wrapped_link(const std::vector<Job>& jobs) {
  return jobs.size() == 1 && base_name(jobs[0][0]).starts_with("clang-linker-wrapper");
}

Result<std::vector<Step>> read_wrapped_link(const Job& job, const compiler::Invocation& invocation,
                                            const std::string& directory) {
  for (const std::string& argument : job)
    if (splits_debug_information(argument)) return unusual("splits the debug information of its devices");
  const Job linker = host_linker_of(job);
  const Result<HostLinkJob> link = read_host_link_job(linker, directory);
  if (!link) return link.error();
  if (linker[link->output] != invocation.object)
    return unusual("writes " + linker[link->output] + " instead of " + invocation.object);
  if (!link->inputs.empty()) return unusual("reads " + linker[link->inputs[0]] + ", which none of its jobs makes");
  Step step;
  step.kind = StepKind::link;
  step.starts_others = true;
  step.prints_temporary_paths = true;
  step.outputs = {{kProgram, kProgramName, invocation.object}};
  step.commands = {{job[0], with_output(job, std::string(kDirectory) + "/" + kProgramName)}};
  step.keyed = {without_job_count(with_output(job, "<program>"))};
  step.unproven = link->unknown_option;
  return std::vector<Step>{std::move(step)};
}

std::optional<Step> question_of_link(const Step& link) {
  const std::vector<std::string>& argv = link.commands.front().argv;
  const auto names_arch = [](const std::string& argument) { return argument.starts_with("--should-extract="); };
  if (std::none_of(argv.begin(), argv.end(), names_arch)) return std::nullopt;
  Step step;
  step.kind = StepKind::question;
  step.commands = link.commands;
  step.commands.front().argv = without_job_count(argv);  // jobs at once would write the answer together
  step.keyed = link.keyed;
  step.outputs = {{kCaptured, kCaptured, ""}};
  step.files = {{kCaptured, ""}};
  step.prints_temporary_paths = true;
  return step;
}

}  // namespace hipcache::hip
