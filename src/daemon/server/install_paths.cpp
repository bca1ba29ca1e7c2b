#include "daemon/server/install_paths.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <filesystem>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraceLibrary = "libhipcache-trace.so";

bool is_split_by_the_loader(const std::string& path) { return path.find_first_of(": ") != std::string::npos; }

Result<std::string> own_directory() {
  char self[PATH_MAX] = {};
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return system_error("cannot read", "/proc/self/exe");
  return std::string(directory_name(std::string_view(self, static_cast<std::size_t>(length))));
}

}  // namespace

Result<std::string> find_remote_program() {
  const Result<std::string> directory = own_directory();
  if (!directory) return directory.error();
  std::string path = *directory + "/hipcache-remote";
  if (access(path.c_str(), X_OK) != 0) return system_error("cannot use", path);
  return path;
}

Result<std::string> find_trace_library() {
  const Result<std::string> directory = own_directory();
  if (!directory) return directory.error();
  std::string path = fs::path(*directory + "/" HIPCACHE_TRACE_FROM_HELPERS "/" + kTraceLibrary).lexically_normal();
  if (access(path.c_str(), R_OK) != 0) return system_error("cannot use", path);
  return path;
}

Result<std::string> preloadable(const std::string& library, const OwnDirectory& directory) {
  if (!is_split_by_the_loader(library)) return library;
  std::string link = join_path(directory.path(), kTraceLibrary);
  if (is_split_by_the_loader(link))
    return Error{"cannot preload " + library +
                 ": its path holds a space or a colon, and so does the cache directory; " +
                 "install hipcache elsewhere, or set HIPCACHE_DIR"};
  if (unlinkat(directory.fd(), kTraceLibrary, 0) != 0 && errno != ENOENT) return system_error("cannot remove", link);
  if (symlinkat(library.c_str(), directory.fd(), kTraceLibrary) != 0) return system_error("cannot make the link", link);
  return link;
}

}  // namespace hipcache::daemon
