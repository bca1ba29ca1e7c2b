#include "daemon/request_directory.h"

#include <cstdlib>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

Result<RequestDirectory> RequestDirectory::make(const std::string& parent) {
  std::string path = parent + "/XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return system_error("cannot make a temporary directory in", parent);
  return RequestDirectory(std::move(path));
}

RequestDirectory::~RequestDirectory() {
  if (path_.empty()) return;
  // What cannot be removed now is removed when the next daemon starts.
  [[maybe_unused]] const Status removed = remove_tree(path_);
}

}  // namespace hipcache::daemon
