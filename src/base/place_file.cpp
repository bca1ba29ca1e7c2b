#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
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

// A new file beside `path`. O_EXCL and the process id make the name ours; the mode is left to the umask.
Result<Temporary> temporary_beside(const std::string& path, mode_t mode) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = path + ".hipcache-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    UniqueFd fd(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
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

Status copy_through_memory(int source, off_t offset, int target, const std::string& path) {
  char piece[64 * 1024];
  for (;;) {
    const ssize_t got = pread(source, piece, sizeof piece, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read the bytes for", path);
    if (got == 0) return done();
    if (Status written = write_all(target, std::string_view(piece, static_cast<std::size_t>(got)), path); !written)
      return written;
    offset += got;
  }
}

// copy_file_range shares extents on file systems that can; sendfile copies between any two (memory to disk).
Status copy_in_kernel(int source, int target, const std::string& path) {
  struct stat status{};
  if (fstat(source, &status) != 0) return system_error("cannot read the bytes for", path);
  off_t offset = 0;
  while (offset < status.st_size) {
    const auto left = static_cast<std::size_t>(status.st_size - offset);
    ssize_t copied = copy_file_range(source, &offset, target, nullptr, left, 0);
    if (copied < 0 && errno != ENOSPC && errno != EINTR) copied = sendfile(target, source, &offset, left);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0 && errno == ENOSPC) return system_error("cannot write", path);
    if (copied <= 0) return copy_through_memory(source, offset, target, path);
  }
  return done();
}

}  // namespace

Status replace_file(const std::string& path, std::string_view bytes) {
  Result<Temporary> temporary = temporary_beside(path, kFileMode);
  if (!temporary) return temporary.error();
  Status written = write_all(temporary->fd.get(), bytes, path);
  return move_into_place(std::move(*temporary), path, std::move(written));
}

Status place_file(int source, const std::string& path, mode_t mode) {
  Result<Temporary> temporary = temporary_beside(path, mode);
  if (!temporary) return temporary.error();
  Status copied = copy_in_kernel(source, temporary->fd.get(), path);
  return move_into_place(std::move(*temporary), path, std::move(copied));
}

Status overwrite_file(int source, const std::string& path, mode_t mode) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!fd) return system_error("cannot write", path);
  if (Status copied = copy_in_kernel(source, fd.get(), path); !copied) return copied;
  if (close(fd.release()) != 0) return system_error("cannot write", path);
  return done();
}

}  // namespace hipcache
