// Sorts the jobs of a plan: which compile devices, which compiles the host, which bundles.
//
//   plan   := unit | unit+ link
//   unit   := device+ { bundle | host } | host     ; of one source; bundle and host at most once, in any order
//   bundle := bundler | packager [ linker wrapper ]
//   device := cc1 { unbundle } [ lld ]
//   link   := the host's linker, if the driver was told to link
//
// Rejected: one fixed sequence for each kind of compile (objects, relocatable device code, devices only, assembly and
// IR, each with and without LTO). Two checks make a plan trustworthy. One job makes each intermediate file, and one
// later job reads it. Every job is of a known kind. The order of jobs does not matter for that.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_PLAN_VALIDATOR_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_PLAN_VALIDATOR_H

#include <optional>
#include <string>
#include <vector>

#include "compiler/hip/jobs/bundle_jobs.h"
#include "compiler/hip/jobs/frontend_job.h"
#include "compiler/hip/jobs/link_jobs.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

struct DeviceJobs {
  compiler::ArchId arch;
  FrontendJob compile;
  std::vector<UnbundleJob> archives;  // a library's code for this device, which its link reads
  std::optional<LinkJob> link;

  // The file of this device that other jobs, or the user, get.
  const std::string& product() const { return link ? link->job[link->output] : compile.output; }
};

// The jobs of one source.
struct UnitJobs {
  std::vector<DeviceJobs> devices;
  std::optional<BundleJob> bundle;
  std::optional<LinkerWrapperJob> wrap;  // set if the bundle is a package
  std::optional<FrontendJob> host;
  bool host_is_last = false;  // whether the host follows the bundle, if there are both
  bool is_linked = false;     // the host's object goes to the linker
  std::size_t number = 0;     // of the unit, from 0 on

  // The fatbin that the host includes. REQUIRES: there is a bundle.
  const std::string& fatbin() const { return wrap ? wrap->job[wrap->output] : bundle->output; }

  // All compiles of the source, in the driver's order.
  std::vector<const FrontendJob*> compiles() const;
};

struct ValidatedPlan {
  std::vector<UnitJobs> units;  // in the driver's order; one or more
  std::optional<HostLinkJob> link;

  // All compiles of all sources, in the driver's order.
  std::vector<const FrontendJob*> compiles() const;
};

// `directory`: the driver's temporary directory, absolute, without a trailing slash.
Result<ValidatedPlan> read_validated_plan(const std::vector<Job>& jobs, const compiler::Invocation& invocation,
                                          const std::string& directory);

// Whether every job compiles, bundles and writes what the command asks for, and each intermediate file goes from one
// job to another within `directory`.
Status check_plan(const ValidatedPlan& shape, const compiler::Invocation& invocation, const std::string& directory);

}  // namespace hipcache::hip

#endif
