// A `clang -cc1` job of a plan: what it reads and writes, and the same command with the names of passage replaced.
#ifndef HIPCACHE_SRC_PLAN_FRONTEND_JOB_H
#define HIPCACHE_SRC_PLAN_FRONTEND_JOB_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/command/cc1.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

struct FrontendJob {
  Job job;
  std::vector<command::Cc1Argument> arguments;  // positions count from job[2]
  bool is_device = false;
  bool records_paths = false;
  bool hashes_names = false;
  std::string source;
  std::string main_file;
  std::string target_cpu;
  std::string cuid;  // empty: none
  std::string output;
  std::optional<std::string> depfile;
  std::optional<std::string> fatbin;
};

bool is_frontend_job(const Job& job);

// REQUIRES: is_frontend_job(job). Error: not a compile of one source into one object, or one that may do more than
// that.
Result<FrontendJob> read_frontend_job(const Job& job);

// The names that take the place of the job's own; the fatbin's only where it has one.
struct FrontendNames {
  std::string output;
  std::string depfile;
  std::string fatbin;
};

StepCommand frontend_command(const FrontendJob& job, const FrontendNames& names);

// What of the command can reach the outputs; docs/plan.md has the list of what is left out and why.
std::vector<std::string> frontend_key(const FrontendJob& job);

}  // namespace hipcache::plan

#endif
