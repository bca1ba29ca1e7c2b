// Which mount a file lies on, and whether a later change of the file will show in its stamp.
//
// The problem: an image of a file system may be replaced by another one with the same device, inodes, sizes and times.
// The choice: the mount is part of every stamp, and the kernel's unique id of a mount never comes again in one boot
// (Linux 6.8). Older kernels reuse ids. There every change of the mount table (poll on /proc/self/mountinfo) gives all
// mounts but the root's a new number. The root's mount lives as long as this process. A request that follows a change
// sees it, because the kernel counts the change before mount(2) or umount(2) returns.
//
// A run may have read what a file system held before another one of the same device was mounted. That one's mount was
// made after the run began. Unique ids grow, so the newest id before the run tells. Otherwise a mount counts as made
// when it was first looked at.
//
// Stamps of file systems that make up their times (trace/file_system_times.h), also below an overlay, are marked as
// proving nothing. So are those of a read-only image on a loop device, if the image's file was written to while it was
// mounted.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_INPUTS_STATE_MOUNTS_H
#define HIPCACHE_SRC_INPUTS_STATE_MOUNTS_H

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/inputs/file_clock.h"
#include "inputs/state/stamp.h"

namespace hipcache::inputs {

// What the kernel tells about mounts beyond their kind: the layers of an overlay, the file behind a loop device, the
// newest of all.

// Whether every layer of the overlay with that id of /proc/self/mountinfo lies on a file system whose times show
// changes. Layers that cannot be reached from here, as in a container, count as such.
bool layers_show_changes(std::uint64_t mount_id);

// The absolute names of the layers in a line of /proc/self/mountinfo.
std::vector<std::string> layers_in(std::string_view line);

// The largest unique id of a mount in this namespace; 0 if the kernel does not tell. Ids grow, so each mount that was
// made before has a smaller one.
std::uint64_t newest_mount();

// The file behind a loop device; "" if the kernel does not tell.
std::string file_of_loop_device(std::uint64_t device);

struct FileStatus {
  mode_t mode = 0;
  Stamp stamp;
};

class Mounts {
 public:
  explicit Mounts(MountIds ids);
  Mounts(const Mounts&) = delete;
  Mounts& operator=(const Mounts&) = delete;

  // As statx(2): 0, or an errno. Attributes that a network file system remembers are asked for again.
  int look(int directory, const char* path, int flags, FileStatus& status);

  // Notices changes since the last call. Called before the looks of each request.
  void refresh();

  // Whether the mount table changed at or after `time_ns`, as far as this process knows. A change that was not noticed
  // before counts as one of now.
  bool changed_since(std::uint64_t time_ns);
  // Whether the stamp's mount may have been made then or later.
  bool may_be_made_since(const Stamp& stamp, std::uint64_t time_ns);

 private:
  // A read-only image on a loop device.
  struct Image {
    std::string file;
    Stamp stamp;
  };
  struct Mount {
    bool proves = false;
    std::uint64_t first_ns = 0;
    std::optional<Image> image;
  };
  // The newest mount at a time.
  struct Newest {
    std::uint64_t time_ns = 0;
    std::uint64_t id = 0;
  };
  struct KernelReply;  // what the kernel said about a path

  static int ask_kernel(int directory, const char* path, int flags, unsigned ids, KernelReply& asked);
  unsigned wanted_ids() const;
  std::uint64_t number_of(const KernelReply& asked) const;
  bool proves(std::uint64_t number, const KernelReply& asked, int directory, const char* path);
  bool learn(std::uint64_t number, const KernelReply& asked, int directory, const char* path);
  void notice_change();
  void note_newest();
  void check_images();
  void remember(std::uint64_t number, bool proves);

  const MountIds ids_;
  const UniqueFd table_;
  std::uint64_t root_ = 0;  // the root mount's id, if ids are reused
  std::uint64_t root_device_ = 0;
  std::atomic<std::uint64_t> epoch_;  // if ids are reused: changes with the mount table

  // The mounts of the last looks, each with whether its stamps prove something, by number: found without the mutex.
  std::array<std::atomic<std::uint64_t>, 64> recent_{};
  std::atomic<bool> has_images_{false};
  std::mutex mutex_;  // guards what follows
  std::unordered_map<std::uint64_t, Mount> known_;
  std::uint64_t changed_ns_ = 0;
  std::deque<Newest> newest_;  // if ids are unique and the kernel tells; the oldest first
};

// What stat(2) says about one path.

struct PathStat {
  enum class Kind : std::uint8_t { unseen, absent, there, error };
  Kind kind = Kind::unseen;
  int error = 0;    // errno; for Kind::error
  mode_t mode = 0;  // for Kind::there; links are followed
  Stamp stamp;      // for Kind::there
  bool is_directory() const { return kind == Kind::there && S_ISDIR(mode); }
  bool is_file() const { return kind == Kind::there && S_ISREG(mode); }
};

PathStat stat_path(const char* path, Mounts& mounts, Effort& effort);

}  // namespace hipcache::inputs

#endif
