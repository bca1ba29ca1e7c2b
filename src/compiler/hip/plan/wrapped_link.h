// A link of relocatable device code by the new driver. It is one job of clang-linker-wrapper, which runs the devices'
// back ends, makes the object that registers their code, and runs the host's linker.
//
// Since clang 21 the wrapper starts a compiler for each arch, and these compiles become steps (wrapper_jobs.h). Up to
// clang 19 the back ends run inside the wrapper, and the link is one step. Rejected: a graph of the jobs that --dry-run
// prints; that list omits the object that registers the code, which no program makes.
#ifndef HIPCACHE_SRC_COMPILER_HIP_PLAN_WRAPPED_LINK_H
#define HIPCACHE_SRC_COMPILER_HIP_PLAN_WRAPPED_LINK_H

#include <optional>
#include <string>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

bool is_wrapped_link(const std::vector<Job>& jobs);

// REQUIRES: is_wrapped_link({job}). `directory`: the driver's temporary directory.
Result<std::vector<Step>> read_wrapped_link(const Job& job, const compiler::Invocation& invocation,
                                            const std::string& directory);

// The step that asks the wrapper which compilers it would start on which files. Nothing if it starts none. REQUIRES:
// `link` is read_wrapped_link()'s step.
std::optional<Step> question_of_link(const Step& link);

}  // namespace hipcache::hip

#endif
