// The jobs of a link of relocatable device code. A compile has the first kind as well: an arch's code object is linked.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_LINK_JOBS_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_LINK_JOBS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// The lld job that links an arch's code object from its device object, or from the parts of several link inputs.

struct LinkJob {
  Job job;
  std::vector<std::size_t> inputs;  // positions in `job`; one or more
  std::size_t output = 0;
  std::size_t dwo_directory = 0;  // 0: none. Code generation at link time writes its split debug information there
};

bool is_link_job(const Job& job);

// Whether lld, linking for a device, makes of the option nothing but code and messages.
bool is_quiet_device_link_option(std::string_view argument);

// REQUIRES: is_link_job(job). Only the arguments that clang 15 to 22 are known to give are accepted.
Result<LinkJob> read_link_job(const Job& job);

// REQUIRES: as many inputs as the job has.
StepCommand link_command(const LinkJob& job, const std::vector<std::string>& inputs, const std::string& output);

// The clang-offload-bundler jobs that take a link's input apart: an object of relocatable device code into its host
// part and one part per arch, or an archive into its members' code for one arch.

struct UnbundleJob {
  Job job;
  std::string input;    // the user's file, as the driver names it
  std::string subject;  // for messages: the input, and for an archive also the target
  std::vector<std::string> outputs;
};

bool is_unbundle_job(const Job& job);

// REQUIRES: is_unbundle_job(job). Only the arguments that clang 15 to 19 are known to give are accepted.
Result<UnbundleJob> read_unbundle_job(const Job& job);

// REQUIRES: as many outputs as the job has.
StepCommand unbundle_command(const UnbundleJob& job, const std::vector<std::string>& outputs);

// The job that makes a host object of a link's fatbin, and the assembler source that it reads. It runs llvm-mc, or
// clang from about clang 20 on.
//
// The driver writes that source while it plans, also for -###, and removes it. With -fhip-dump-offload-linker-script it
// also prints the source, before the jobs and other messages. Rejected: generating the source from knowledge of clang;
// since clang 16 it has a symbol for every object that the link reads.
//
//   source := "#       HIP Object Generator\n" { comment | directive | label }
//   comment := "#" ... ; directive := "  ." ... ; label := "__hip_" ... ":"

// Removes the source from what the driver printed and returns it. Empty if there is none.
std::string take_fatbin_source(std::string& printed);

// The source with another fatbin. Error: the source includes no fatbin or another one, or has a directive that clang 15
// to 22 are not known to write.
Result<std::string> fatbin_source_with(const std::string& source, const std::string& fatbin,
                                       const std::string& replacement);

struct FatbinObjectJob {
  Job job;
  std::size_t input = 0;  // positions in `job`
  std::size_t output = 0;
};

bool is_fatbin_object_job(const Job& job);

// REQUIRES: is_fatbin_object_job(job)
Result<FatbinObjectJob> read_fatbin_object_job(const Job& job);

StepCommand fatbin_object_command(const FatbinObjectJob& job, const std::string& input, const std::string& output);

// The last job of a link: the linker that makes a program or shared library of host objects, libraries and the fatbin's
// object.
//
// A linker's inputs and outputs are traced. Only options can introduce what a trace cannot show (randomness, the time,
// output about the run itself). If a job has an option that is not known to be safe, the job runs and its result is not
// stored.

struct HostLinkJob {
  Job job;
  std::vector<std::size_t> inputs;  // positions of intermediate files
  std::size_t output = 0;
  std::string unknown_option;  // the first option not known to be safe; empty: none
  bool is_wrapped = false;     // clang-linker-wrapper runs the linker, and compilers if there is code for them
};

// An intermediate file lies below `directory`. `is_wrappers`: whether an option is one of the wrapper's own that are
// known to be safe. Error: not exactly one output.
Result<HostLinkJob> read_host_link_job(const Job& job, const std::string& directory,
                                       bool (*is_wrappers)(std::string_view option));

// REQUIRES: as many inputs as the job has.
StepCommand host_link_command(const HostLinkJob& job, const std::vector<std::string>& inputs,
                              const std::string& output);

}  // namespace hipcache::hip

#endif
