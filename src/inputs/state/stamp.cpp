#include "inputs/state/stamp.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <time.h>

#include <algorithm>

#include "hipcache/inputs/file_clock.h"

namespace hipcache::inputs {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

}  // namespace

// Inode and ctime alone spread well; equality compares all fields.
std::size_t StampHash::operator()(const Stamp& stamp) const noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  return (stamp.inode * kOdd) ^ (static_cast<std::uint64_t>(stamp.ctime_ns) * kOdd >> 7);
}

Stamp stamp_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

bool is_settled(const Stamp& stamp, std::uint64_t now_ns) {
  constexpr std::int64_t kDistrustNs = std::chrono::nanoseconds(kDistrust).count();
  return std::max(stamp.mtime_ns, stamp.ctime_ns) < static_cast<std::int64_t>(now_ns) - kDistrustNs;
}

bool keeps_stamps(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return false;
  switch (static_cast<unsigned long>(system.f_type)) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case DEVPTS_SUPER_MAGIC:
    case BPF_FS_MAGIC:
      return false;
    default:
      return true;
  }
}

}  // namespace hipcache::inputs
