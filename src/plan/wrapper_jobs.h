// What clang-linker-wrapper says that it would start (--dry-run), as steps.
//
//   printed := { ' "' program '" ' argument { ' ' argument } '\n' }
//
// Arguments are printed without quotes, so one with a blank in it is read as two. That is no harm: a command that is
// not the wrapper's own answers nothing (preload_answer.c).
#ifndef HIPCACHE_SRC_PLAN_WRAPPER_JOBS_H
#define HIPCACHE_SRC_PLAN_WRAPPER_JOBS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

// A compiler that makes one device's code of files that the wrapper has taken out of its inputs.
struct BackEndJob {
  Job job;                          // without the chance in its names, and with kDirectory for the directory
  std::vector<std::size_t> inputs;  // positions in `job`
  std::size_t output = 0;
};

// The commands in the wrapper's order, but for the last, which is another's. An error where they are not understood.
Result<std::vector<BackEndJob>> read_back_end_jobs(std::string_view printed, const std::string& directory);

// One entry of the file of answers: what is started, by which names, and where the prepared files lie.
std::string answer_to(const BackEndJob& job, const std::string& said);

}  // namespace hipcache::plan

#endif
