// Parses what clang's driver prints for -###: the banner, the driver's own diagnostics, and one argv per job.
//
//   printed := { banner | diagnostic | [in-process] job } ; every one ends with a newline
//   banner  := [vendor] "clang version " ... | "Target: " ... | "Thread model: " ... | "InstalledDir: " ...
//            | "Build config: " ... | "Configuration file: " ...
//   in-process := " (in-process)"              ; only with a single job
//   job     := { ' "' { char | '\' ( '"' | '\' | '$' ) } '"' }     ; a newline may occur within the quotes
// Warnings and their notes are accepted. Other diagnostics, and lines of no known form, are errors.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_PRINTED_JOBS_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_PRINTED_JOBS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

using Job = std::vector<std::string>;  // the program's path, then its arguments; never empty

inline constexpr std::size_t kMaxPrintedBytes = 64 << 20;
inline constexpr std::size_t kMaxJobs = 16384;

struct PrintedJobs {
  std::vector<Job> jobs;
  std::string diagnostics;  // as printed, colour and all
};

Result<PrintedJobs> read_printed_jobs(std::string_view printed);

// Two names that steps give to files in the request's directory.

// As an argument: the file `name` in the request's directory.
std::string placed(const std::string& name);

// "gfx90a.sramecc+" for "gfx90a:sramecc+": a colon separates paths in some options.
std::string file_name(const compiler::ArchId& arch);

}  // namespace hipcache::hip

#endif
