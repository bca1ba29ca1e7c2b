// A `clang -cc1` job of a plan: what it reads and writes, and the same command with the names of intermediate files
// replaced.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_FRONTEND_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_FRONTEND_JOB_H

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/cc1.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

enum class Emits { object, bitcode, ir, assembly };

// A file that the job writes in addition to its output: a depfile, split debug information, stack usage.
struct SideFile {
  compiler::Cc1Role role = compiler::Cc1Role::plain;
  std::string path;
};

// A job's arguments begin after the program and "-cc1".
inline constexpr std::size_t kBeforeArguments = 2;

struct FrontendJob {
  Job job;
  std::vector<compiler::Cc1Argument> arguments;  // positions count from job[kBeforeArguments]
  Emits emits = Emits::object;
  bool is_device = false;
  bool is_relocatable = false;
  bool records_paths = false;
  bool hashes_names = false;
  bool compresses_debug_information = false;  // if it makes any, which records_paths tells
  std::string source;
  std::string main_file;
  std::string target_cpu;
  std::string cuid;  // empty: none
  std::string output;
  std::vector<SideFile> side_files;  // each role at most once
  std::optional<std::string> fatbin;

  // The path of the side file with that role, or null.
  const std::string* side_file(compiler::Cc1Role role) const;
};

bool is_frontend_job(const Job& job);

// REQUIRES: is_frontend_job(job). Error: the job is not a compile of one source into one output, or may do more than
// that.
Result<FrontendJob> read_frontend_job(const Job& job);

// The file name extension of the output: ".o", ".bc", ...
const char* ending_of(Emits emits);

bool is_side_file(compiler::Cc1Role role);

// A side file's role in hip::StepOutput, and its file name extension.
const char* role_name(compiler::Cc1Role role);
const char* ending_of(compiler::Cc1Role role);

// The names that replace the job's own; `fatbin` is used only if the job has one.
struct FrontendNames {
  std::string output;
  std::string beside;  // a side file's name without its extension
  std::string fatbin;
};

StepCommand frontend_command(const FrontendJob& job, const FrontendNames& names);

// `argv` without the arguments of the job that `is_left_out` selects. REQUIRES: positions in argv are those of the job.
std::vector<std::string> without(std::vector<std::string> argv, const FrontendJob& job,
                                 const std::function<bool(const compiler::Cc1Argument&)>& is_left_out);

// Whether the argument affects only where the source text comes from, or diagnostics about it, and not the code that is
// generated from that text.
bool is_of_text(compiler::Cc1Role role);

// The options for the look of messages, in their order.
std::string look_options_of(const FrontendJob& job);

// The options that decide how the job reads its source, whatever the source, the architecture and the date are.
std::vector<std::string> reading_options(const FrontendJob& job);

// The part of the command that can affect the outputs; docs/internals/plan.md lists what is left out and why. `kept`:
// the side files that are outputs.
std::vector<std::string> frontend_key(const FrontendJob& job, const std::set<compiler::Cc1Role>& kept);

}  // namespace hipcache::hip

#endif
