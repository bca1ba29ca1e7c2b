// Follows the intermediate files from job to job, in the driver's order. Each is made once, in the temporary directory,
// and read once, by a later job.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_FILE_FLOW_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_FILE_FLOW_H

#include <set>
#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::hip {

class FileFlow {
 public:
  // `directory`: the driver's temporary directory, absolute, without a trailing slash.
  explicit FileFlow(std::string directory) : directory_(std::move(directory)) {}

  Status write(const std::string& path);
  Status read(const std::string& path);

  // REQUIRES: all jobs were passed in. Error: no job reads a file that was made.
  Status finish() const;

  // The files written elsewhere, in order: the user's outputs.
  const std::vector<std::string>& users() const { return users_; }

 private:
  // Whether the path is an intermediate file that the driver named.
  bool is_intermediate(const std::string& path) const;

  std::string directory_;
  std::set<std::string> made_;
  std::set<std::string> unread_;
  std::vector<std::string> users_;
};

}  // namespace hipcache::hip

#endif
