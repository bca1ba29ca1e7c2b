// The job that makes a host object of a link's fatbin, by llvm-mc or from about clang 20 on by clang, and the assembler
// source that it is given.
//
// The driver writes that source itself while it plans, also for -###, and removes it. It prints it too, before the jobs
// and other messages, if it is asked to (-fhip-dump-offload-linker-script). Rejected: writing it from knowledge of what
// clang writes; since clang 16 it has a symbol for every object that the link reads.
//
//   source := "#       HIP Object Generator\n" { comment | directive | label }
//   comment := "#" ... ; directive := "  ." ... ; label := "__hip_" ... ":"
#ifndef HIPCACHE_SRC_PLAN_FATBIN_OBJECT_JOB_H
#define HIPCACHE_SRC_PLAN_FATBIN_OBJECT_JOB_H

#include <string>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

// Takes the source out of what the driver printed. Empty if there is none.
std::string take_fatbin_source(std::string& printed);

// The source with another fatbin. Error: it includes none or another one, or has a directive of another kind than those
// that clang 15 to 22 are known to write.
Result<std::string> fatbin_source_with(const std::string& source, const std::string& fatbin,
                                       const std::string& replacement);

struct FatbinObjectJob {
  Job job;
  std::size_t input = 0;  // positions in `job`
  std::size_t output = 0;
};

bool is_fatbin_object_job(const Job& job);

// REQUIRES: is_fatbin_object_job(job)
Result<FatbinObjectJob> read_fatbin_object_job(const Job& job);

StepCommand fatbin_object_command(const FatbinObjectJob& job, const std::string& input, const std::string& output);

}  // namespace hipcache::plan

#endif
