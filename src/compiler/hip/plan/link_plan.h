// Reads the plan of a link of relocatable device code: how the driver's jobs depend on each other.
//
//   plan := unbundle+ { unbundle } device+ bundle fatbin-object host-link
// Unbundle jobs of archives precede the device link that reads their output. The driver unbundles every object twice,
// once for the host and once for the devices; both become one step.
#ifndef HIPCACHE_SRC_COMPILER_HIP_PLAN_LINK_PLAN_H
#define HIPCACHE_SRC_COMPILER_HIP_PLAN_LINK_PLAN_H

#include <string>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

// The unbundle steps, then the devices, then the rest. REQUIRES: invocation.links. `fatbin_source`: printed beside the
// jobs (fatbin_object_job.h). `directory`: the driver's temporary directory, absolute, without a trailing slash.
Result<std::vector<Step>> read_link_steps(const std::vector<Job>& jobs, const std::string& fatbin_source,
                                          const compiler::Invocation& invocation, const std::string& directory);

}  // namespace hipcache::hip

#endif
