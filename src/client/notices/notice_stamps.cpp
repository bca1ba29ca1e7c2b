#include "client/notices/notice_stamps.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <ctime>

#include "hipcache/base/checksum.h"
#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

// A time in the future, after the clock was set back, is not recent.
bool is_recent(const struct stat& status) {
  const std::time_t age = std::time(nullptr) - status.st_mtime;
  return age >= 0 && age < std::chrono::seconds(NoticeStamps::kPause).count();
}

}  // namespace

bool NoticeStamps::is_due(std::string_view notice) const {
  const std::string path = join_path(directory_, std::to_string(checksum_of(notice) % kStamps));
  constexpr int kFlags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  if (UniqueFd(open(path.c_str(), kFlags | O_EXCL, S_IRUSR | S_IWUSR))) return true;
  const UniqueFd stamp(open(path.c_str(), kFlags, S_IRUSR | S_IWUSR));
  struct stat status{};
  if (!stamp || flock(stamp.get(), LOCK_EX | LOCK_NB) != 0) return false;
  if (fstat(stamp.get(), &status) != 0 || is_recent(status)) return false;
  return futimens(stamp.get(), nullptr) == 0;
}

}  // namespace hipcache::client
