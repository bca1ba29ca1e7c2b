// Reads the plan of a link of relocatable device code: how the driver's jobs depend on each other.
//
//   plan := unbundle+ { unbundle } device+ bundle fatbin-object host-link
// Unbundle jobs of archives precede the device link that reads their output. The driver unbundles every object twice,
// once for the host and once for the devices; both become one step.
//
// A link by the new driver is one job of clang-linker-wrapper, which runs the devices' back ends, makes the object that
// registers their code, and runs the host's linker.
//
// Since clang 21 the wrapper starts a compiler for each arch, and these compiles become steps (wrapper_jobs.h). Up to
// clang 19 the back ends run inside the wrapper, and the link is one step. Rejected: a graph of the jobs that --dry-run
// prints; that list omits the object that registers the code, which no program makes.
#ifndef HIPCACHE_SRC_COMPILER_HIP_PLAN_LINK_PLAN_H
#define HIPCACHE_SRC_COMPILER_HIP_PLAN_LINK_PLAN_H

#include <optional>
#include <string>
#include <vector>

#include "compiler/hip/jobs/link_jobs.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

// The unbundle steps, then the devices, then the rest. REQUIRES: invocation.driver.links. `fatbin_source`: printed
// beside the jobs (link_jobs.h). `directory`: the driver's temporary directory, absolute, without a trailing slash.
Result<std::vector<Step>> read_link_steps(const std::vector<Job>& jobs, const std::string& fatbin_source,
                                          const compiler::Invocation& invocation, const std::string& directory);

// Splits a link's input into the files of these names.
Step unbundle_step(const UnbundleJob& job, const std::vector<std::string>& names);

// Links the files of these names, which earlier steps make, into the user's program.
Step host_link_step(const HostLinkJob& job, const std::vector<std::string>& inputs);

// Whether the jobs are such a link by the new driver.
bool is_wrapped_link(const std::vector<Job>& jobs);

// The step that asks the wrapper which compilers it would start on which files. Nothing if it starts none. REQUIRES:
// `link` is the step of a wrapped link.
std::optional<Step> question_of_link(const Step& link);

}  // namespace hipcache::hip

#endif
