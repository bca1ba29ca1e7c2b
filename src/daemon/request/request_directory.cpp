#include "daemon/request/request_directory.h"

#include <sys/statvfs.h>

#include <climits>
#include <cstdlib>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

// Enough for the outputs of most requests. With larger outputs the steps fail, and the compiler runs by itself.
constexpr std::uint64_t kRoom = 32u << 20;

bool has_room(const std::string& directory) {
  struct statvfs status{};
  if (statvfs(directory.c_str(), &status) != 0) return false;
  return status.f_bavail * status.f_frsize >= kRoom && (status.f_files == 0 || status.f_favail > 0);
}

Result<std::string> make_unique(std::string path) {
  if (mkdtemp(path.data()) == nullptr) return system_error("cannot make a temporary directory:", path);
  return path;
}

// Resolved, because a trace has the paths that programs use, and some programs resolve links.
std::string resolved(const std::string& directory) {
  char path[PATH_MAX];
  return realpath(directory.c_str(), path) == nullptr ? directory : path;
}

}  // namespace

Result<RequestDirectory> RequestDirectory::make(const std::string& parent, const std::string& fallback) {
  if (!has_room(parent) && has_room(fallback))
    if (Result<std::string> path = make_unique(resolved(fallback) + "/hipcache-XXXXXX"))
      return RequestDirectory(std::move(*path));
  Result<std::string> path = make_unique(parent + "/XXXXXX");
  if (!path) return path.error();
  return RequestDirectory(std::move(*path));
}

RequestDirectory::~RequestDirectory() {
  if (path_.empty()) return;
  // The next daemon removes what cannot be removed now.
  [[maybe_unused]] const Status removed = remove_tree(path_);
}

Result<RequestDirectory> make_directory(const RequestContext& context) {
  const char* users = context.request.from.variable("TMPDIR");
  const std::string fallback = users != nullptr && users[0] == '/' ? users : "/tmp";
  return RequestDirectory::make(context.services.temporary_root, fallback);
}

}  // namespace hipcache::daemon
