// The linker job that ends a link: host objects, libraries and the fatbin's object into a program or a shared library.
//
// What a linker reads and writes is traced. What a trace cannot show (chance, the time, what it prints of itself) comes
// only by options; a job with an option that is not known to be free of that is run, and its result is not stored.
#ifndef HIPCACHE_SRC_PLAN_HOST_LINK_JOB_H
#define HIPCACHE_SRC_PLAN_HOST_LINK_JOB_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

struct HostLinkJob {
  Job job;
  std::vector<std::size_t> inputs;  // positions of files of passage
  std::size_t output = 0;
  std::string unknown_option;  // the first one that may do what no trace shows; empty: none
};

// A file of passage lies below `directory`. Error: not exactly one output.
Result<HostLinkJob> read_host_link_job(const Job& job, const std::string& directory);

// REQUIRES: as many inputs as the job has.
StepCommand host_link_command(const HostLinkJob& job, const std::vector<std::string>& inputs,
                              const std::string& output);

}  // namespace hipcache::plan

#endif
