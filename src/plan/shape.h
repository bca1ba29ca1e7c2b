// The jobs of a plan, apart: which are the devices', which are the host's, what bundles.
//
//   plan   := device+ { bundle | host } | host     ; each of the two at most once, in any order
//   bundle := bundler | packager [ linker wrapper ]
//   device := cc1 [ lld ]
//
// Rejected: one fixed sequence for each kind of compile (objects, relocatable device code, devices alone, assembly and
// IR, each with and without LTO). What makes a plan trustworthy is not its order but that every file of passage is made
// by one job and read by one later job (flow.h), and that each job is of a kind that is known through and through.
#ifndef HIPCACHE_SRC_PLAN_SHAPE_H
#define HIPCACHE_SRC_PLAN_SHAPE_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/command/invocation.h"
#include "plan/bundle_job.h"
#include "plan/device_job.h"
#include "plan/frontend_job.h"
#include "plan/printed_jobs.h"
#include "plan/wrap_job.h"

namespace hipcache::plan {

struct DeviceJobs {
  command::ArchId arch;
  FrontendJob compile;
  std::optional<LinkJob> link;

  // What the other jobs, or the user, get of the device.
  const std::string& product() const { return link ? link->job[link->output] : compile.output; }
};

struct Shape {
  std::vector<DeviceJobs> devices;
  std::optional<BundleJob> bundle;
  std::optional<WrapJob> wrap;  // of a bundle that is a package
  std::optional<FrontendJob> host;
  bool host_is_last = false;  // of bundle and host, if there are both

  // What the host takes in. REQUIRES: there is a bundle.
  const std::string& fatbin() const { return wrap ? wrap->job[wrap->output] : bundle->output; }

  // Every compile of the source, in the driver's order.
  std::vector<const FrontendJob*> compiles() const;
};

// `archs`: what the command was understood to ask for; they name the devices where no bundle does.
Result<Shape> read_shape(const std::vector<Job>& jobs, const std::vector<command::ArchId>& archs);

// Whether every job compiles, bundles and writes what the command was understood to ask for, and each file of passage
// goes from one job to another inside of `directory`.
Status check_shape(const Shape& shape, const command::Invocation& invocation, const std::string& directory);

}  // namespace hipcache::plan

#endif
