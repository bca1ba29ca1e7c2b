// The plan of a link of relocatable device code: what the driver's jobs are to each other.
//
//   plan := unbundle+ { unbundle } device+ bundle fatbin-object host-link
// Unbundle jobs of archives stand before the device link that they are for. The driver takes every object apart twice,
// once for the host and once for the devices; both become one step.
#ifndef HIPCACHE_SRC_PLAN_LINK_PLAN_H
#define HIPCACHE_SRC_PLAN_LINK_PLAN_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/command/invocation.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

// Unbundles, then devices, then the rest. REQUIRES: invocation.links. `fatbin_source`: what was printed beside the jobs
// (fatbin_object_job.h); `directory`: the driver's temporary one, absolute, without a slash at its end.
Result<std::vector<Step>> read_link_steps(const std::vector<Job>& jobs, const std::string& fatbin_source,
                                          const command::Invocation& invocation, const std::string& directory);

}  // namespace hipcache::plan

#endif
