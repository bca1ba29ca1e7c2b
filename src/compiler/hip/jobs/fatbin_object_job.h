// The job that makes a host object of a link's fatbin, and the assembler source that it reads. It runs llvm-mc, or
// clang from about clang 20 on.
//
// The driver writes that source while it plans, also for -###, and removes it. With -fhip-dump-offload-linker-script it
// also prints the source, before the jobs and other messages. Rejected: generating the source from knowledge of clang;
// since clang 16 it has a symbol for every object that the link reads.
//
//   source := "#       HIP Object Generator\n" { comment | directive | label }
//   comment := "#" ... ; directive := "  ." ... ; label := "__hip_" ... ":"
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_FATBIN_OBJECT_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_FATBIN_OBJECT_JOB_H

#include <string>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// Removes the source from what the driver printed and returns it. Empty if there is none.
std::string take_fatbin_source(std::string& printed);

// The source with another fatbin. Error: the source includes no fatbin or another one, or has a directive that clang 15
// to 22 are not known to write.
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

}  // namespace hipcache::hip

#endif
