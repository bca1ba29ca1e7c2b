#include "inputs/state/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hipcache/inputs/file_clock.h"
#include "inputs/state/mount_table.h"
#include "trace/file_system_times.h"

namespace hipcache::inputs {
namespace {

// Not in every sys/stat.h.
constexpr unsigned kReusedId = 0x1000;  // STATX_MNT_ID
constexpr unsigned kUniqueId = 0x4000;  // STATX_MNT_ID_UNIQUE
constexpr unsigned kWanted = STATX_TYPE | STATX_MODE | STATX_INO | STATX_SIZE | STATX_MTIME | STATX_CTIME;
constexpr std::size_t kMostMounts = 10'000;
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

std::int64_t nanoseconds(const statx_timestamp& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

// The field `stx_mnt_id`, which older headers do not name. It follows the device.
std::uint64_t mount_id_of(const struct statx& status) {
  std::uint64_t id = 0;
  std::memcpy(&id, reinterpret_cast<const char*>(&status) + offsetof(struct statx, stx_dev_minor) + 4, sizeof id);
  return id;
}

bool is_on_loop_device(const Stamp& stamp) {
  constexpr unsigned kLoopMajor = 7;
  return major(stamp.device) == kLoopMajor;
}

// Some old sandboxes forbid statx.
int ask_without_mount(int directory, const char* path, int flags, FileStatus& asked) {
  struct stat status = {};
  if (::fstatat(directory, path, &status, flags) != 0) return errno;
  asked = {status.st_mode, stamp_of(status)};
  return 0;
}

}  // namespace

struct Mounts::Asked {
  FileStatus status;
  std::uint64_t id = 0;  // 0: the kernel does not say
};

MountIds kernels_mount_ids() {
  struct statx root = {};
  const bool is_unique = ::statx(AT_FDCWD, "/", 0, kUniqueId, &root) == 0 && (root.stx_mask & kUniqueId) != 0;
  return is_unique ? MountIds::unique : MountIds::reused;
}

Mounts::Mounts(MountIds ids)
    : ids_(ids), table_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)), epoch_(file_clock()()) {
  note_newest();
  if (!newest_.empty()) newest_.front().time_ns = 0;  // no run of this process began before
  Asked root;
  if (ids_ == MountIds::unique || ask(AT_FDCWD, "/", 0, wanted_ids(), root) != 0) return;
  root_ = root.id;
  root_device_ = root.status.stamp.device;
}

unsigned Mounts::wanted_ids() const { return ids_ == MountIds::unique ? kUniqueId : kReusedId; }

int Mounts::ask(int directory, const char* path, int flags, unsigned ids, Asked& asked) {
  struct statx status = {};
  const int how = flags | AT_STATX_FORCE_SYNC | AT_NO_AUTOMOUNT;
  if (::statx(directory, path, how, kWanted | ids, &status) != 0)
    return errno == EPERM ? ask_without_mount(directory, path, flags, asked.status) : errno;
  asked.status.mode = status.stx_mode;
  asked.status.stamp = {.device = makedev(status.stx_dev_major, status.stx_dev_minor),
                        .inode = status.stx_ino,
                        .size = status.stx_size,
                        .mtime_ns = nanoseconds(status.stx_mtime),
                        .ctime_ns = nanoseconds(status.stx_ctime)};
  asked.id = (status.stx_mask & ids) != 0 ? mount_id_of(status) : 0;
  return 0;
}

// At most 63 bits. If ids are reused, the number of the root's mount is its id; all others change with the mount table.
std::uint64_t Mounts::number_of(const Asked& asked) const {
  const std::uint64_t device = asked.status.stamp.device;
  if (ids_ == MountIds::unique || (asked.id == root_ && device == root_device_))
    return asked.id >> 63 == 0 ? asked.id : 0;
  return ((asked.id + device * kOdd + epoch_.load() * (kOdd + 2)) * kOdd) >> 1;
}

int Mounts::look(int directory, const char* path, int flags, FileStatus& status) {
  Asked asked;
  if (const int error = ask(directory, path, flags, wanted_ids(), asked); error != 0) return error;
  status = asked.status;
  status.stamp.mount = number_of(asked);
  status.stamp.proves_nothing = !proves(status.stamp.mount, asked, directory, path);
  return 0;
}

bool Mounts::proves(std::uint64_t number, const Asked& asked, int directory, const char* path) {
  const std::uint64_t recent = recent_[number % recent_.size()].load(std::memory_order_relaxed);
  if (recent != 0 && recent >> 1 == number) return (recent & 1) != 0;
  std::lock_guard lock(mutex_);
  if (const auto at = known_.find(number); at != known_.end()) {
    remember(number, at->second.proves);
    return at->second.proves;
  }
  return learn(number, asked, directory, path);
}

void Mounts::remember(std::uint64_t number, bool proves) {
  recent_[number % recent_.size()].store(number << 1 | (proves ? 1 : 0), std::memory_order_relaxed);
}

// Through a descriptor, so that the kind is that of the same mount even if the path is being mounted over.
bool Mounts::learn(std::uint64_t number, const Asked& asked, int directory, const char* path) {
  const UniqueFd opened(*path == '\0' ? -1 : ::openat(directory, path, O_PATH | O_CLOEXEC));
  const int fd = *path == '\0' ? directory : opened.get();
  Asked again;
  struct statfs system = {};
  if (fd < 0 || ask(fd, "", AT_EMPTY_PATH, wanted_ids(), again) != 0 || again.id != asked.id ||
      ::fstatfs(fd, &system) != 0)
    return false;
  const trace_times times = trace_times_of(static_cast<unsigned long>(system.f_type));
  Mount mount;
  mount.first_ns = file_clock()();
  mount.proves = times == TRACE_TIMES_SHOW_CHANGES || times == TRACE_TIMES_OF_IMAGE;
  if (system.f_type == OVERLAYFS_SUPER_MAGIC) {
    Asked old;
    mount.proves = ask(fd, "", AT_EMPTY_PATH, kReusedId, old) == 0 && layers_show_changes(old.id);
  }
  if (times == TRACE_TIMES_OF_IMAGE && is_on_loop_device(asked.status.stamp)) {
    Image image{.file = file_of_loop_device(asked.status.stamp.device), .stamp = {}};
    Asked file;
    if (ask(AT_FDCWD, image.file.c_str(), 0, wanted_ids(), file) == 0) {
      image.stamp = file.status.stamp;
      mount.image = std::move(image);
      has_images_ = true;
    }
  }
  if (known_.size() >= kMostMounts) known_.clear();
  known_.emplace(number, mount);
  remember(number, mount.proves);
  return mount.proves;
}

// The kernel may go on to show what it read before, and later show what the file holds now. So no digest of such an
// image is remembered any more.
void Mounts::check_images() {
  std::lock_guard lock(mutex_);
  for (auto& [number, mount] : known_) {
    if (!mount.image || !mount.proves) continue;
    Asked file;
    if (ask(AT_FDCWD, mount.image->file.c_str(), 0, wanted_ids(), file) == 0 && file.status.stamp == mount.image->stamp)
      continue;
    mount.proves = false;
    remember(number, false);
  }
}

void Mounts::refresh() {
  {
    std::lock_guard lock(mutex_);
    notice_change();
  }
  if (has_images_.load(std::memory_order_relaxed)) check_images();
}

// Without the table, every look may be at a new mount.
void Mounts::notice_change() {
  pollfd table = {.fd = table_.get(), .events = POLLPRI, .revents = 0};
  const bool changed = !table_ || ::poll(&table, 1, 0) < 0 || (table.revents & (POLLPRI | POLLERR)) != 0;
  if (!changed) return;
  if (ids_ == MountIds::reused) ++epoch_;
  note_newest();
  changed_ns_ = file_clock()();
}

// The time is read after the id, so a mount that is made later than that has a larger one.
void Mounts::note_newest() {
  constexpr std::size_t kMostNotes = 64;
  const std::uint64_t id = ids_ == MountIds::unique ? newest_mount() : 0;
  if (id == 0) return;
  if (newest_.size() == kMostNotes) newest_.pop_front();
  newest_.push_back({file_clock()(), id});
}

bool Mounts::changed_since(std::uint64_t time_ns) {
  std::lock_guard lock(mutex_);
  notice_change();
  return changed_ns_ >= time_ns;
}

bool Mounts::may_be_made_since(const Stamp& stamp, std::uint64_t time_ns) {
  std::lock_guard lock(mutex_);
  const auto before =
      std::find_if(newest_.rbegin(), newest_.rend(), [&](const Newest& newest) { return newest.time_ns < time_ns; });
  if (before != newest_.rend() && stamp.mount != 0 && stamp.mount <= before->id) return false;
  const auto at = known_.find(stamp.mount);
  return at == known_.end() || at->second.first_ns >= time_ns;
}

}  // namespace hipcache::inputs
