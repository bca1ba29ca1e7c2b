// The files that go from job to job, watched in the driver's order: each is made once, in the temporary directory, and
// read once, later.
#ifndef HIPCACHE_SRC_PLAN_FLOW_H
#define HIPCACHE_SRC_PLAN_FLOW_H

#include <set>
#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::plan {

class Flow {
 public:
  // `directory`: the driver's temporary one, absolute, without a slash at its end.
  explicit Flow(std::string directory) : directory_(std::move(directory)) {}

  Status write(const std::string& path);
  Status read(const std::string& path);

  // REQUIRES: all jobs were told. Error: a file was made for nobody.
  Status finish() const;

  // What was written elsewhere, in order: the user's.
  const std::vector<std::string>& users() const { return users_; }

 private:
  // Whether the driver made the name up for its own use.
  bool is_passage(const std::string& path) const;

  std::string directory_;
  std::set<std::string> made_;
  std::set<std::string> unread_;
  std::vector<std::string> users_;
};

}  // namespace hipcache::plan

#endif
