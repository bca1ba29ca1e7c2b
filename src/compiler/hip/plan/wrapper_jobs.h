// The commands that clang-linker-wrapper would start (--dry-run), as steps.
//
//   printed := { ' "' program '" ' argument { ' ' argument } '\n' }
//
// The wrapper prints arguments without quotes, so an argument with a blank is read as two. That does no harm: the
// answer is used only for a command that equals the wrapper's own (preload/answer.c).
#ifndef HIPCACHE_SRC_COMPILER_HIP_PLAN_WRAPPER_JOBS_H
#define HIPCACHE_SRC_COMPILER_HIP_PLAN_WRAPPER_JOBS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"

namespace hipcache::hip {

// A compiler run that makes one device's code from files that the wrapper extracted from its inputs.
struct BackEndJob {
  Job job;  // with fixed numbers for the random parts of names, and kDirectory for the directory
  std::vector<std::size_t> inputs;  // positions in `job`
  std::size_t output = 0;
};

// The commands in the wrapper's order except the last, which runs another program. Error: the output is not understood.
Result<std::vector<BackEndJob>> read_back_end_jobs(std::string_view printed, const std::string& directory);

// One entry of the answers file: the command that the wrapper starts, and where the prepared outputs lie.
std::string answer_to(const BackEndJob& job, const std::string& said);

}  // namespace hipcache::hip

#endif
