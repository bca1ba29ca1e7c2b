#include "hipcache/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace hipcache {

std::vector<std::string_view> path_names(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name == ".." && !names.empty()) names.pop_back();
    if (!name.empty() && name != "." && name != "..") names.push_back(name);
  }
  return names;
}

std::string normal_path(std::string_view absolute) {
  std::string normal;
  for (const std::string_view name : path_names(absolute)) normal.append("/").append(name);
  return normal.empty() ? "/" : normal;
}

namespace {

constexpr int kLinksFollowed = 8;

}  // namespace

bool is_of_a_process(std::string_view path) {
  constexpr std::string_view kProc = "/proc/";
  if (!path.starts_with(kProc)) return false;
  const std::string_view whose = path.substr(kProc.size(), path.find('/', kProc.size()) - kProc.size());
  return whose == "self" || whose == "thread-self" || whose.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_descriptor_path(std::string_view absolute) {
  const std::vector<std::string_view> parts = path_names(absolute);
  if (parts.size() < 2) return false;
  if (parts[0] == "dev") return parts[1] == "fd" || parts[1] == "stdin";
  return parts[0] == "proc" && std::find(parts.begin() + 2, parts.end(), "fd") != parts.end();
}

bool leads_to_descriptor(std::string path) {
  for (int followed = 0; followed < kLinksFollowed; ++followed) {
    if (is_descriptor_path(path)) return true;
    std::array<char, PATH_MAX> target;
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0) return false;
    path = join_path(directory_name(path), std::string_view(target.data(), static_cast<std::size_t>(length)));
  }
  return false;
}

Result<MemoryFile> MemoryFile::make(const char* name) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return system_error("cannot make memory file", name);
  return MemoryFile(std::move(fd));
}

Status MemoryFile::append(std::string_view bytes) { return write_all(fd_.get(), bytes, "a memory file"); }

Result<UniqueFd> MemoryFile::seal() && {
  if (fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return system_error("cannot seal", "a memory file");
  return std::move(fd_);
}

Result<UniqueFd> sealed_memory(std::string_view bytes, const char* name) {
  Result<MemoryFile> file = MemoryFile::make(name);
  if (!file) return file.error();
  if (Status written = file->append(bytes); !written) return written.error();
  return std::move(*file).seal();
}

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

Status replace_file(const std::string& path, std::string_view bytes) { return replace_file(path, bytes, std::nullopt); }

Status replace_file(const std::string& path, std::string_view bytes, std::optional<mode_t> mode) {
  Result<Temporary> temporary = temporary_beside(path);
  if (!temporary) return temporary.error();
  if (mode) fchmod(temporary->fd.get(), *mode);
  Status written = write_all(temporary->fd.get(), bytes, path);
  return move_into_place(std::move(*temporary), path, std::move(written));
}

namespace {

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

constexpr std::size_t kRoom = 4096;

// The initial buffer size. A regular file is read in one piece. The extra byte is for the read that
// finds the end: without it, that read would double the buffer and copy everything. Files of /proc
// report size 0.
std::size_t first_room(const struct stat& status, std::uint64_t limit) {
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return kRoom;
  return std::min(static_cast<std::uint64_t>(status.st_size), limit) + 1;
}

bool is_dot(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// Removes the contents of the directory behind `fd`, but not the directory. Takes over `fd`.
Status empty_directory(UniqueFd fd, const std::string& path) {
  Directory directory(fdopendir(fd.get()), closedir);
  if (directory == nullptr) return system_error("cannot read directory", path);
  const int here = fd.release();  // owned by the stream now
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr) break;
    if (is_dot(entry->d_name) || unlinkat(here, entry->d_name, 0) == 0 || errno == ENOENT) continue;
    const std::string child = path + "/" + entry->d_name;
    UniqueFd below(openat(here, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!below) return system_error("cannot remove", child);
    if (Status emptied = empty_directory(std::move(below), child); !emptied) return emptied;
    if (unlinkat(here, entry->d_name, AT_REMOVEDIR) != 0 && errno != ENOENT)
      return system_error("cannot remove", child);
  }
  if (errno != 0) return system_error("cannot read directory", path);
  return done();
}

}  // namespace

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

ErrorCode code_of_errno(int number) {
  switch (number) {
    case EPIPE:
    case ECONNRESET:
      return ErrorCode::closed;
    case ETIMEDOUT:
      return ErrorCode::timed_out;
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
      return ErrorCode::gone;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::no_space;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
      return ErrorCode::resources;
    default:
      return ErrorCode::other;
  }
}

Error system_error(std::string_view what, std::string_view path) {
  const int number = errno;
  char buffer[128] = {};
  const char* reason = strerror_r(number, buffer, sizeof buffer);
  return Error{std::string(what) + " " + std::string(path) + ": " + reason, code_of_errno(number)};
}

Result<std::string> read_fd(int fd, std::uint64_t limit, std::string_view name) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return system_error("cannot read", name);
  const auto too_large = [&] {
    return Error{"cannot read " + std::string(name) + ": larger than " + std::to_string(limit) + " bytes"};
  };
  if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > limit) return too_large();
  std::string bytes;
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(used == 0 ? first_room(status, limit) : 2 * used);
    const ssize_t got = read(fd, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read", name);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > limit) return too_large();
  }
  bytes.resize(used);
  return bytes;
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) { return read_file(path, limit, path); }

Result<std::string> read_file(const std::string& path, std::uint64_t limit, std::string_view name) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return system_error("cannot open", name);
  struct stat status{};
  if (fstat(fd.get(), &status) == 0 && S_ISFIFO(status.st_mode))
    return Error{std::string(name) + " is a pipe, not a file"};
  return read_fd(fd.get(), limit, name);
}

Status write_all(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("cannot write", name);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return done();
}

Status make_directories(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0) return done();
  if (errno == ENOENT && path.find('/') != std::string::npos && path != "/") {
    if (Status parent = make_directories(std::string(directory_name(path)), mode); !parent) return parent;
    if (mkdir(path.c_str(), mode) == 0) return done();
  }
  const int reason = errno;
  struct stat status{};
  if (reason == EEXIST && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return done();
  errno = reason;
  return system_error("cannot make directory", path);
}

Status remove_tree(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return done();
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return system_error("cannot remove", path);
  if (Status emptied = empty_directory(std::move(fd), path); !emptied) return emptied;
  if (rmdir(path.c_str()) != 0 && errno != ENOENT) return system_error("cannot remove", path);
  return done();
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
  Directory directory(opendir(path.c_str()), closedir);
  if (directory == nullptr) return system_error("cannot read directory", path);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr) break;
    if (!is_dot(entry->d_name)) names.emplace_back(entry->d_name);
  }
  if (errno != 0) return system_error("cannot read directory", path);
  std::sort(names.begin(), names.end());
  return names;
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view directory_name(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string join_path(std::string_view directory, std::string_view path) {
  if (!path.empty() && path.front() == '/') return std::string(path);
  std::string joined(directory);
  if (joined.empty() || joined.back() != '/') joined += '/';
  return joined.append(path);
}

std::optional<std::string> resolved_path(const std::string& path) {
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr) return std::nullopt;
  return resolved;
}

std::string real_path(const std::string& path) { return resolved_path(path).value_or(path); }

bool is_within(std::string_view path, std::string_view directory) {
  while (directory.size() > 1 && directory.back() == '/') directory.remove_suffix(1);
  if (!path.starts_with(directory)) return false;
  return path.size() == directory.size() || directory == "/" || path[directory.size()] == '/';
}

}  // namespace hipcache
