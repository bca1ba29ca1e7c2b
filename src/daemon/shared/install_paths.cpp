#include "daemon/shared/install_paths.h"

#include <unistd.h>

#include <climits>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

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
  std::string path = std::string(directory_name(*directory)) + "/lib/libhipcache-trace.so";
  if (access(path.c_str(), R_OK) != 0) return system_error("cannot use", path);
  // The loader splits LD_PRELOAD at spaces and colons.
  if (path.find_first_of(": ") != std::string::npos)
    return Error{"cannot preload " + path + ": its path holds a space or a colon; install hipcache elsewhere"};
  return path;
}

}  // namespace hipcache::daemon
