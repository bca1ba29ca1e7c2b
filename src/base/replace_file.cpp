#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "hipcache/base/files.h"

namespace hipcache {
namespace {

constexpr int kAttempts = 64;

struct Temporary {
  UniqueFd fd;
  std::string path;
};

// A new file beside `path`. O_EXCL and the process id make the name ours; the umask applies to the
// mode.
Result<Temporary> temporary_beside(const std::string& path) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = path + ".hipcache-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    UniqueFd fd(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
    if (fd) return Temporary{std::move(fd), std::move(name)};
    if (errno != EEXIST) break;
  }
  return system_error("cannot write", path);
}

Status move_into_place(Temporary temporary, const std::string& path, Status filled) {
  if (filled && close(temporary.fd.release()) != 0) filled = system_error("cannot write", path);
  if (filled && rename(temporary.path.c_str(), path.c_str()) != 0) filled = system_error("cannot write", path);
  if (!filled) unlink(temporary.path.c_str());
  return filled;
}

}  // namespace

Status replace_file(const std::string& path, std::string_view bytes) {
  Result<Temporary> temporary = temporary_beside(path);
  if (!temporary) return temporary.error();
  Status written = write_all(temporary->fd.get(), bytes, path);
  return move_into_place(std::move(*temporary), path, std::move(written));
}

}  // namespace hipcache
