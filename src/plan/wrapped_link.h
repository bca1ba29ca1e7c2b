// A link of relocatable device code by the new driver: one job, of clang-linker-wrapper, which runs the devices' back
// ends, makes the object that registers their code, and runs the host's linker.
//
// It is one step. Rejected: its own list of jobs (--dry-run). It leaves out the back ends, which up to clang 19 run
// inside of the wrapper, and the object that registers the code, which no program makes.
#ifndef HIPCACHE_SRC_PLAN_WRAPPED_LINK_H
#define HIPCACHE_SRC_PLAN_WRAPPED_LINK_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

bool is_wrapped_link(const std::vector<Job>& jobs);

// REQUIRES: is_wrapped_link({job}). `directory`: the driver's temporary one.
Result<std::vector<Step>> read_wrapped_link(const Job& job, const command::Invocation& invocation,
                                            const std::string& directory);

}  // namespace hipcache::plan

#endif
