#include "inputs/state/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "hipcache/base/files.h"
#include "hipcache/inputs/file_clock.h"
#include "trace/file_system_times.h"

namespace hipcache::inputs {

namespace {

constexpr std::uint64_t kTableLimit = 16u << 20;

// The table writes space, tab, newline and backslash as \ooo.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const bool is_escape = text[i] == '\\' && i + 3 < text.size() &&
                           std::from_chars(&text[i + 1], &text[i + 4], code, 8).ptr == &text[i + 4];
    plain += is_escape ? static_cast<char>(code) : text[i];
    if (is_escape) i += 3;
  }
  return plain;
}

// Splits at `separator`, unless a backslash stands before it; that backslash is dropped.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      parts.back() += text[++i];
    else if (text[i] == separator)
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  return parts;
}

bool names_layers(std::string_view option) {
  return option == "lowerdir" || option == "upperdir" || option == "lowerdir+" || option == "datadir+";
}

}  // namespace

std::vector<std::string> layers_in(std::string_view line) {
  const std::size_t options = line.rfind(' ');
  std::vector<std::string> layers;
  if (options == std::string_view::npos) return layers;
  for (std::string_view rest = line.substr(options + 1); !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view option = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos || !names_layers(option.substr(0, equals))) continue;
    for (std::string& layer : split(unescaped(option.substr(equals + 1)), ':'))
      if (layer.starts_with('/')) layers.push_back(std::move(layer));
  }
  return layers;
}

bool layers_show_changes(std::uint64_t mount_id) {
  const Result<std::string> table = read_file("/proc/self/mountinfo", kTableLimit);
  if (!table) return false;
  const std::string begin = std::to_string(mount_id) + " ";
  for (std::string_view rest = *table; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.starts_with(begin)) continue;
    const std::vector<std::string> layers = layers_in(line);
    return std::all_of(layers.begin(), layers.end(), [](const std::string& layer) {
      struct statfs system = {};
      return ::statfs(layer.c_str(), &system) != 0 ||
             trace_times_of(static_cast<unsigned long>(system.f_type)) != TRACE_TIMES_PROVE_NOTHING;
    });
  }
  return true;
}

// listmount(2), of Linux 6.8: the ids in their order. Not in every linux/mount.h.
std::uint64_t newest_mount() {
  constexpr long kListMount = 458;
  constexpr std::uint64_t kRoot = ~std::uint64_t{0};
  struct {
    std::uint32_t size = 24;
    std::uint32_t spare = 0;
    std::uint64_t of = kRoot;
    std::uint64_t after = 0;
  } request;
  std::array<std::uint64_t, 256> ids;
  for (;;) {
    const long count = ::syscall(kListMount, &request, ids.data(), ids.size(), 0);
    if (count < 0) return 0;
    if (count > 0) request.after = *std::max_element(ids.begin(), ids.begin() + count);
    if (static_cast<std::size_t>(count) < ids.size()) return request.after;
  }
}

std::string file_of_loop_device(std::uint64_t device) {
  constexpr std::uint64_t kPathLimit = 8192;
  const std::string number = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  const Result<std::string> file = read_file("/sys/dev/block/" + number + "/loop/backing_file", kPathLimit);
  if (!file) return "";
  return file->substr(0, file->find('\n'));
}

PathStat stat_path(const char* path, Mounts& mounts, Effort& effort) {
  ++effort.stats;
  PathStat seen;
  FileStatus status;
  const int error = mounts.look(AT_FDCWD, path, 0, status);
  if (error == 0) {
    seen.kind = PathStat::Kind::there;
    seen.mode = status.mode;
    seen.stamp = status.stamp;
  } else if (error == ENOENT || error == ENOTDIR) {
    seen.kind = PathStat::Kind::absent;
  } else {
    seen.kind = PathStat::Kind::error;
    seen.error = error;
  }
  return seen;
}

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

struct Mounts::KernelReply {
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
  KernelReply root;
  if (ids_ == MountIds::unique || ask_kernel(AT_FDCWD, "/", 0, wanted_ids(), root) != 0) return;
  root_ = root.id;
  root_device_ = root.status.stamp.device;
}

unsigned Mounts::wanted_ids() const { return ids_ == MountIds::unique ? kUniqueId : kReusedId; }

int Mounts::ask_kernel(int directory, const char* path, int flags, unsigned ids, KernelReply& asked) {
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
std::uint64_t Mounts::number_of(const KernelReply& asked) const {
  const std::uint64_t device = asked.status.stamp.device;
  if (ids_ == MountIds::unique || (asked.id == root_ && device == root_device_))
    return asked.id >> 63 == 0 ? asked.id : 0;
  return ((asked.id + device * kOdd + epoch_.load() * (kOdd + 2)) * kOdd) >> 1;
}

int Mounts::look(int directory, const char* path, int flags, FileStatus& status) {
  KernelReply asked;
  if (const int error = ask_kernel(directory, path, flags, wanted_ids(), asked); error != 0) return error;
  status = asked.status;
  status.stamp.mount = number_of(asked);
  status.stamp.proves_nothing = !proves(status.stamp.mount, asked, directory, path);
  return 0;
}

bool Mounts::proves(std::uint64_t number, const KernelReply& asked, int directory, const char* path) {
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
bool Mounts::learn(std::uint64_t number, const KernelReply& asked, int directory, const char* path) {
  const UniqueFd opened(*path == '\0' ? -1 : ::openat(directory, path, O_PATH | O_CLOEXEC));
  const int fd = *path == '\0' ? directory : opened.get();
  KernelReply again;
  struct statfs system = {};
  if (fd < 0 || ask_kernel(fd, "", AT_EMPTY_PATH, wanted_ids(), again) != 0 || again.id != asked.id ||
      ::fstatfs(fd, &system) != 0)
    return false;
  const trace_times times = trace_times_of(static_cast<unsigned long>(system.f_type));
  Mount mount;
  mount.first_ns = file_clock()();
  mount.proves = times == TRACE_TIMES_SHOW_CHANGES || times == TRACE_TIMES_OF_IMAGE;
  if (system.f_type == OVERLAYFS_SUPER_MAGIC) {
    KernelReply old;
    mount.proves = ask_kernel(fd, "", AT_EMPTY_PATH, kReusedId, old) == 0 && layers_show_changes(old.id);
  }
  if (times == TRACE_TIMES_OF_IMAGE && is_on_loop_device(asked.status.stamp)) {
    Image image{.file = file_of_loop_device(asked.status.stamp.device), .stamp = {}};
    KernelReply file;
    if (ask_kernel(AT_FDCWD, image.file.c_str(), 0, wanted_ids(), file) == 0) {
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
    KernelReply file;
    if (ask_kernel(AT_FDCWD, mount.image->file.c_str(), 0, wanted_ids(), file) == 0 &&
        file.status.stamp == mount.image->stamp)
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
