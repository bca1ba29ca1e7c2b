#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/hip/jobs/fatbin_object_job.h"
#include "compiler/hip/jobs/plan_validator.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "compiler/hip/plan/link_plan.h"
#include "compiler/hip/plan/steps.h"
#include "compiler/hip/plan/wrapped_link.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

Error unusual(const std::string& what) { return Error{"the compiler's plan " + what}; }

Status check_programs(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (job[0].find('/') == std::string::npos) return unusual("runs " + job[0] + ", which the compiler has not found");
    for (const std::string& argument : job) {
      if (argument.find(kDirectory) != std::string::npos) return unusual("has an argument that is reserved");
    }
  }
  return done();
}

// Fails if a command still names an intermediate file of the driver: it would point into the probe's directory.
Status check_replaced(const std::vector<Step>& steps, const std::string& directory) {
  for (const Step& step : steps) {
    for (const StepCommand& command : step.commands) {
      for (const std::string& argument : command.argv) {
        if (argument.find(directory + "/") != std::string::npos)
          return unusual("names a temporary file in " + argument);
      }
    }
  }
  return done();
}

// Fails if the driver warns that it ignores the CUID: the user's own command would not print that warning.
Status check_id_used(const std::string& diagnostics, const compiler::Invocation& invocation) {
  const bool ignored = !invocation.user_cuid && diagnostics.find("'-cuid=") != std::string::npos;
  return ignored ? unusual("has no use for the id of the translation unit") : done();
}

std::ptrdiff_t dates_in(const Job& job) { return std::count(job.begin(), job.end(), kSourceDateOption); }

void replace_dates(std::vector<Job>& jobs, std::string_view date) {
  for (Job& job : jobs) {
    const auto option = std::find(job.begin(), job.end(), kSourceDateOption);
    if (dates_in(job) == 1 && std::next(option) != job.end()) *std::next(option) = date;
  }
}

std::string look_options_of(const ValidatedPlan& shape) {
  std::vector<std::string> lines;
  for (const FrontendJob* compile : shape.compiles()) lines.push_back(look_options_of(*compile));
  if (std::all_of(lines.begin(), lines.end(), [&](const std::string& line) { return line == lines.front(); }))
    lines.resize(std::min<std::size_t>(lines.size(), 1));
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return all;
}

Result<Plan> read_compile(const std::vector<Job>& jobs, const compiler::Invocation& invocation,
                          const std::string& directory) {
  Result<ValidatedPlan> shape = read_validated_plan(jobs, invocation.archs);
  if (!shape) return shape.error();
  if (Status checked = check_plan(*shape, invocation, directory); !checked) return checked.error();
  return Plan{.steps = steps_of(*shape),
              .driver_stderr = "",
              .deferred_fatbin = deferred_fatbin_of(*shape),
              .question = question_of(*shape),
              .look_options = look_options_of(*shape)};
}

Result<Plan> read_link(const std::vector<Job>& jobs, const std::string& fatbin_source,
                       const compiler::Invocation& invocation, const std::string& directory) {
  Result<std::vector<Step>> steps = read_link_steps(jobs, fatbin_source, invocation, directory);
  if (!steps) return steps.error();
  Plan plan{.steps = *std::move(steps), .driver_stderr = ""};
  if (is_wrapped_link(jobs)) plan.question = question_of_link(plan.steps.front());
  return plan;
}

}  // namespace

bool has_messages(std::string_view printed) {
  const Result<PrintedJobs> jobs = read_printed_jobs(printed);
  return !jobs || !jobs->diagnostics.empty();
}

bool may_take_another_date(std::string_view printed) {
  const Result<PrintedJobs> jobs = read_printed_jobs(printed);
  return jobs && std::none_of(jobs->jobs.begin(), jobs->jobs.end(), [](const Job& job) { return dates_in(job) > 1; });
}

Result<Plan> read_plan(std::string printed, const compiler::Invocation& invocation,
                       const std::string& temporary_directory, std::string_view source_date) {
  std::string directory = temporary_directory;
  while (!directory.empty() && directory.back() == '/') directory.pop_back();
  if (directory.empty() || directory.front() != '/')
    return Error{"the temporary directory " + temporary_directory + " is not absolute"};
  const std::string fatbin_source = invocation.links ? take_fatbin_source(printed) : "";
  Result<PrintedJobs> jobs = read_printed_jobs(printed);
  if (!jobs) return jobs.error();
  if (!source_date.empty()) replace_dates(jobs->jobs, source_date);
  if (Status checked = check_programs(jobs->jobs); !checked) return checked.error();
  if (Status checked = check_id_used(jobs->diagnostics, invocation); !checked) return checked.error();
  Result<Plan> plan = invocation.links ? read_link(jobs->jobs, fatbin_source, invocation, directory)
                                       : read_compile(jobs->jobs, invocation, directory);
  if (!plan) return plan.error();
  plan->driver_stderr = std::move(jobs->diagnostics);
  if (Status checked = check_replaced(plan->steps, directory); !checked) return checked.error();
  return plan;
}

}  // namespace hipcache::hip
