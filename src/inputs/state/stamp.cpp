#include "inputs/state/stamp.h"

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
  return !stamp.proves_nothing &&
         std::max(stamp.mtime_ns, stamp.ctime_ns) < static_cast<std::int64_t>(now_ns) - kDistrustNs;
}

}  // namespace hipcache::inputs
