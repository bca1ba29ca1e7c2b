// The packager of the new offload driver (clang-offload-packager, later llvm-offload-binary). It puts the devices'
// bitcode into one file, which the host's object includes. For other jobs it acts as a bundler.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_PACKAGE_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_PACKAGE_JOB_H

#include "compiler/hip/jobs/bundle_job.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"

namespace hipcache::hip {

bool is_package_job(const Job& job);

// REQUIRES: is_package_job(job).
Result<BundleJob> read_package_job(const Job& job);

// REQUIRES: the job was read by read_package_job(). There is no host.
StepCommand package_command(const BundleJob& job, const BundleNames& names);

}  // namespace hipcache::hip

#endif
