#include "compiler/hip/jobs/file_flow.h"

#include <algorithm>

#include "hipcache/base/files.h"

namespace hipcache::hip {
namespace {

Error unusual(const std::string& what) { return Error{"the compiler's plan " + what}; }

}  // namespace

Status FileFlow::write(const std::string& path) {
  if (is_intermediate(path)) {
    if (!made_.insert(path).second) return unusual("makes " + path + " twice");
    unread_.insert(path);
    return done();
  }
  if (std::find(users_.begin(), users_.end(), path) != users_.end()) return unusual("writes " + path + " twice");
  users_.push_back(path);
  return done();
}

Status FileFlow::read(const std::string& path) {
  return unread_.erase(path) == 1 ? done() : unusual("reads " + path + ", which no job has made for it");
}

Status FileFlow::finish() const {
  return unread_.empty() ? done() : unusual("makes " + *unread_.begin() + " for nobody");
}

bool FileFlow::is_intermediate(const std::string& path) const {
  return path.size() > directory_.size() + 1 && is_within(path, directory_) && path.find("/../") == std::string::npos &&
         !path.ends_with("/..");
}

}  // namespace hipcache::hip
