#include "daemon/tell/place_owner.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

namespace {

constexpr auto kOfMachine =
    std::to_array<std::string_view>({"/proc", "/sys", "/dev", "/run", "/var/run", "/etc/passwd", "/etc/group",
                                     "/etc/hosts", "/etc/hostname", "/etc/machine-id", "/etc/resolv.conf", "/etc/mtab",
                                     "/etc/fstab", "/etc/ld.so.preload", "/etc/localtime", "/etc/timezone"});
constexpr auto kOfPackages = std::to_array<std::string_view>(
    {"/usr", "/opt", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu", "/snap"});
// Names of directories that only packages of compilers and of libc fill, and how further ones begin.
constexpr auto kOfCompilers = std::to_array<std::string_view>({"gcc", "gcc-cross", "clang", "c++", "amdgcn", "gconv"});
constexpr auto kOfCompilersPrefixes = std::to_array<std::string_view>({"llvm", "rocm", "clang-"});

template <typename List>
bool is_in_one_of(const List& directories, std::string_view path) {
  return std::any_of(directories.begin(), directories.end(),
                     [&](std::string_view directory) { return is_within(path, directory); });
}

bool is_compilers_name(std::string_view name) {
  return std::find(kOfCompilers.begin(), kOfCompilers.end(), name) != kOfCompilers.end() ||
         std::any_of(kOfCompilersPrefixes.begin(), kOfCompilersPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

PlaceOwner owner_of(std::string_view absolute) {
  const std::string path = normal_path(absolute);
  if (is_in_one_of(kOfMachine, path)) return PlaceOwner::machine;
  return path == "/" || is_in_one_of(kOfPackages, path) ? PlaceOwner::packages : PlaceOwner::user;
}

bool is_of_compilers(std::string_view directory) {
  const std::filesystem::path path = normal_path(directory);
  return std::any_of(path.begin(), path.end(),
                     [](const std::filesystem::path& part) { return is_compilers_name(part.string()); });
}

}  // namespace hipcache::daemon
