#include "inputs/state/digests.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "hipcache/base/files.h"
#include "inputs/rules/driver_listings.h"

namespace hipcache::inputs {
namespace {

std::optional<Stamp> stamp_of_open(int fd, Mounts& mounts) {
  FileStatus status;
  if (mounts.look(fd, "", AT_EMPTY_PATH, status) != 0) return std::nullopt;
  return status.stamp;
}

// Whether the stamp is the same after reading as before, and every later change will show in it.
bool worth_keeping(int fd, const Stamp& before, std::uint64_t now_ns, Mounts& mounts) {
  return is_settled(before, now_ns) && stamp_of_open(fd, mounts) == before;
}

// Takes over the descriptor.
std::optional<std::vector<std::string>> names_in(UniqueFd fd) {
  DIR* directory = ::fdopendir(fd.get());
  if (directory == nullptr) return std::nullopt;
  static_cast<void>(fd.release());
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const bool complete = errno == 0;
  ::closedir(directory);
  if (!complete) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

ListingDigests digests_of(const std::vector<std::string>& sorted) {
  Hasher all("listing");
  Hasher rocm("rocm-listing");
  Hasher bitcode("bitcode-listing");
  for (const std::string& name : sorted) {
    all.field(name);
    if (is_name_of_rocm(name)) rocm.field(name);
    if (is_name_of_bitcode(name)) bitcode.field(name);
  }
  return {all.finish(), rocm.finish(), bitcode.finish()};
}

}  // namespace

std::optional<FileDigest> digest_file(const std::string& path, const PathStat& seen, std::uint64_t now_ns,
                                      FileSystemMemo& memo, Effort& effort) {
  if (is_settled(seen.stamp, now_ns))
    if (std::optional<Digest> known = memo.files.find(seen.stamp)) return FileDigest{*known, seen.stamp};
  ++effort.opens;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return std::nullopt;
  const std::optional<Stamp> before = stamp_of_open(fd.get(), memo.mounts);
  Result<Digest> digest = digest_of_file(fd.get());
  if (!before || !digest) return std::nullopt;
  effort.bytes_read += before->size;
  if (worth_keeping(fd.get(), *before, now_ns, memo.mounts)) {
    memo.files.insert(*before, *digest);
    ++memo.learned;
  }
  return FileDigest{*digest, *before, true};
}

std::optional<ListingDigests> digest_listing(const std::string& path, const PathStat& seen, std::uint64_t now_ns,
                                             FileSystemMemo& memo, Effort& effort) {
  if (is_settled(seen.stamp, now_ns))
    if (std::optional<ListingDigests> known = memo.directories.find(seen.stamp)) return known;
  ++effort.listings;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  const std::optional<Stamp> before = stamp_of_open(fd.get(), memo.mounts);
  UniqueFd reading(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!before || !reading) return std::nullopt;
  const std::optional<std::vector<std::string>> names = names_in(std::move(reading));
  if (!names) return std::nullopt;
  const ListingDigests digests = digests_of(*names);
  if (worth_keeping(fd.get(), *before, now_ns, memo.mounts)) memo.directories.insert(*before, digests);
  return digests;
}

}  // namespace hipcache::inputs
