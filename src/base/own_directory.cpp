#include "hipcache/base/own_directory.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace hipcache {
namespace {

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr const char* kElsewhere = ", or choose another cache directory with HIPCACHE_DIR";

bool are_same(const struct stat& left, const struct stat& right) {
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

Error denied(std::string message) { return Error{std::move(message), ErrorCode::denied}; }

Status check_access(const struct stat& status, const std::string& path, const DirectoryAccess& access) {
  const auto& owners = access.owners;
  if (std::find(owners.begin(), owners.end(), status.st_uid) == owners.end())
    return denied(path + " belongs to user " + std::to_string(status.st_uid) + " and not to you (" +
                  std::to_string(geteuid()) + "); choose another cache directory with HIPCACHE_DIR");
  if ((status.st_mode & S_IWOTH) != 0) return denied(path + " is writable by others; chmod o-w " + path + kElsewhere);
  const bool is_shared = access.group && status.st_gid == *access.group;
  if ((status.st_mode & S_IWGRP) != 0 && !is_shared)
    return denied(path + " is writable by its group; chmod g-w " + path + kElsewhere);
  return done();
}

DirectoryAccess access_of_entries(const DirectoryAccess& access) { return {.directory_mode = access.directory_mode}; }

}  // namespace

OwnDirectory::OwnDirectory(UniqueFd fd, std::string path, DirectoryAccess access)
    : fd_(std::move(fd)),
      path_(std::move(path)),
      anchored_("/proc/self/fd/" + std::to_string(fd_.get())),
      access_(std::move(access)) {}

Result<OwnDirectory> OwnDirectory::check(UniqueFd fd, const std::string& path, const DirectoryAccess& access) {
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return system_error("cannot look at", path);
  if (Status ours = check_access(status, path, access); !ours) return ours.error();
  return OwnDirectory(std::move(fd), path, access);
}

Result<OwnDirectory> OwnDirectory::open(const std::string& path, const DirectoryAccess& access) {
  UniqueFd fd(::open(path.c_str(), kOpenDirectory));
  if (!fd) return system_error("cannot open directory", path);
  return check(std::move(fd), path, access);
}

Result<OwnDirectory> OwnDirectory::open_or_make(const std::string& path, const DirectoryAccess& access) {
  Result<OwnDirectory> opened = open(path, access);
  if (opened || opened.error().code != ErrorCode::gone) return opened;
  if (Status made = make_directories(path, access.directory_mode); !made) return made.error();
  return open(path, access);
}

Result<OwnDirectory> OwnDirectory::open_or_make_below(const std::string& name) const {
  const std::string below = join_path(path_, name);
  if (mkdirat(fd(), name.c_str(), access_.directory_mode) != 0 && errno != EEXIST)
    return system_error("cannot make directory", below);
  UniqueFd opened(openat(fd(), name.c_str(), kOpenDirectory | O_NOFOLLOW));
  if (!opened) return system_error("cannot open directory", below);
  return check(std::move(opened), below, access_of_entries(access_));
}

// O_NONBLOCK: if the name is a pipe, open must not wait for its writer.
Result<UniqueFd> OwnDirectory::open_file(const std::string& name, int flags, mode_t mode) const {
  const std::string below = join_path(path_, name);
  UniqueFd file(openat(fd(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode));
  if (!file) return system_error("cannot open", below);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return system_error("cannot look at", below);
  if (!S_ISREG(status.st_mode)) return denied(below + " is no file; remove it" + kElsewhere);
  if (Status ours = check_access(status, below, access_of_entries(access_)); !ours) return ours.error();
  return file;
}

bool OwnDirectory::is_in_place() const {
  struct stat here{};
  struct stat there{};
  return fstat(fd(), &here) == 0 && stat(path_.c_str(), &there) == 0 && are_same(here, there);
}

bool OwnDirectory::holds(const std::string& name, int file) const {
  struct stat held{};
  struct stat named{};
  return fstat(file, &held) == 0 && fstatat(fd(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         are_same(held, named);
}

std::string OwnDirectory::as_known(std::string message) const {
  const auto is_digit = [&message](std::size_t at) {
    return at < message.size() && message[at] >= '0' && message[at] <= '9';
  };
  for (std::size_t at = message.find(anchored_); at != std::string::npos; at = message.find(anchored_, at)) {
    const bool is_another =
        is_digit(at + anchored_.size());  // /proc/self/fd/12 contains /proc/self/fd/1, but is another descriptor
    if (!is_another) message.replace(at, anchored_.size(), path_);
    at += is_another ? anchored_.size() : path_.size();
  }
  return message;
}

}  // namespace hipcache
