#include "hipcache/compiler/hip/plan.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "compiler/hip/jobs/bundle_jobs.h"
#include "compiler/hip/jobs/link_jobs.h"
#include "compiler/hip/jobs/printed_jobs.h"

namespace hipcache::hip {
namespace {

bool has(const Job& job, std::string_view word) { return std::find(job.begin(), job.end(), word) != job.end(); }

std::string first(const Job& job, const std::function<bool(std::string_view)>& is_meant) {
  const auto found = std::find_if(job.begin(), job.end(), is_meant);
  return found == job.end() ? "" : *found;
}

// The value of an option that is a word of its own.
std::string value_of(const Job& job, std::string_view option) {
  const auto found = std::find(job.begin(), job.end(), option);
  return found == job.end() || found + 1 == job.end() ? "" : *(found + 1);
}

// A front end writes the name into object or bitcode.
std::string lost_by_frontend(const Job& job, const std::string& within) {
  const std::string name = value_of(job, "-split-dwarf-file");
  return name.starts_with(within) ? name : "";
}

// The wrapper's compilers name the file after the wrapper's output.
std::string lost_by_wrapper(const Job& job, const std::string& within) {
  return value_of(job, "-o").starts_with(within) ? first(job, splits_debug_information) : "";
}

// lld writes the file only if it makes the code, of bitcode.
std::string lost_by_link(const Job& job, const std::string& within) {
  return first(job, [&](std::string_view word) { return word.starts_with("-plugin-opt=dwo_dir=" + within); });
}

}  // namespace

std::optional<std::string> lost_debug_file(std::string_view printed, const std::string& temporary_directory) {
  if (printed.find("dwo_dir=") == printed.npos && printed.find("split-dwarf") == printed.npos) return std::nullopt;
  std::string text(printed);
  take_fatbin_source(text);  // of a link
  const Result<PrintedJobs> read = read_printed_jobs(text);
  if (!read) return std::nullopt;
  const std::string within = temporary_directory + "/";
  bool makes_objects = false;  // the jobs so far, and not the linker
  for (const Job& job : read->jobs) {
    makes_objects = makes_objects || has(job, "-emit-obj");
    std::string lost = is_linker_wrapper_job(job) ? lost_by_wrapper(job, within)
                       : !is_link_job(job)        ? lost_by_frontend(job, within)
                       : !makes_objects           ? lost_by_link(job, within)
                                                  : std::string();
    if (!lost.empty()) return lost;
  }
  return std::nullopt;
}

}  // namespace hipcache::hip
