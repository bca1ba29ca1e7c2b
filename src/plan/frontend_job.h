// A `clang -cc1` job of a plan: what it reads and writes, and the same command with the names of passage replaced.
#ifndef HIPCACHE_SRC_PLAN_FRONTEND_JOB_H
#define HIPCACHE_SRC_PLAN_FRONTEND_JOB_H

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/command/cc1.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

enum class Emits { object, bitcode, ir, assembly };

// A file that the job writes beside its output: a depfile, debug information that was split off, ...
struct SideFile {
  command::Cc1Role role = command::Cc1Role::plain;
  std::string path;
};

// Where a job's arguments begin: behind the program and "-cc1".
inline constexpr std::size_t kBeforeArguments = 2;

struct FrontendJob {
  Job job;
  std::vector<command::Cc1Argument> arguments;  // positions count from job[kBeforeArguments]
  Emits emits = Emits::object;
  bool is_device = false;
  bool is_relocatable = false;
  bool records_paths = false;
  bool hashes_names = false;
  std::string source;
  std::string main_file;
  std::string target_cpu;
  std::string cuid;  // empty: none
  std::string output;
  std::vector<SideFile> side_files;  // each role at most once
  std::optional<std::string> fatbin;

  // Where it is told to write the file of that role, or null.
  const std::string* side_file(command::Cc1Role role) const;
};

bool is_frontend_job(const Job& job);

// REQUIRES: is_frontend_job(job). Error: not a compile of one source into one output, or one that may do more than
// that.
Result<FrontendJob> read_frontend_job(const Job& job);

// The ending of the output's name: ".o", ".bc", ...
const char* ending_of(Emits emits);

bool is_side_file(command::Cc1Role role);

// What a side file is called: as a role of plan::StepOutput, and by the ending of its name.
const char* role_name(command::Cc1Role role);
const char* ending_of(command::Cc1Role role);

// The names that take the place of the job's own; the fatbin's only where it has one.
struct FrontendNames {
  std::string output;
  std::string beside;  // a side file's name less the ending
  std::string fatbin;
};

StepCommand frontend_command(const FrontendJob& job, const FrontendNames& names);

// The command less those of the job's arguments. REQUIRES: the positions of argv are those of the job.
std::vector<std::string> without(std::vector<std::string> argv, const FrontendJob& job,
                                 const std::function<bool(const command::Cc1Argument&)>& is_left_out);

// Whether the argument says where a source's text comes from, or what is said of it, and nothing of the code that is
// made of that text.
bool is_of_text(command::Cc1Role role);

// What of the command can reach the outputs; docs/plan.md has the list of what is left out and why. `kept`: the side
// files that are outputs.
std::vector<std::string> frontend_key(const FrontendJob& job, const std::set<command::Cc1Role>& kept);

}  // namespace hipcache::plan

#endif
