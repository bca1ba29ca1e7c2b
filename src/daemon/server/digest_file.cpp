#include "daemon/server/digest_file.h"

#include <fcntl.h>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

namespace {

constexpr const char* kName = "digests";
constexpr std::uint64_t kSizeLimit = 4u << 20;

// Identifies the boot and the view of the file system. Empty if the kernel does not show the boot's id.
std::string origin_of(const protocol::MountView& view) {
  constexpr std::uint64_t kBootLimit = 64;
  const Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id", kBootLimit);
  if (!boot || boot->empty()) return "";
  return *boot + std::to_string(view.mount_namespace) + " " + std::to_string(view.root_device) + " " +
         std::to_string(view.root_inode);
}

}  // namespace

DigestFile::DigestFile(inputs::FileSystemState& file_system, const OwnDirectory& directory,
                       const protocol::MountView& view, Log& log)
    : file_system_(file_system),
      directory_(directory),
      log_(log),
      origin_(origin_of(view)),
      next_(std::chrono::steady_clock::now() + kDigestFilePause) {
  load();
}

void DigestFile::load() {
  if (origin_.empty()) return;
  const Result<UniqueFd> file = directory_.open_file(kName, O_RDONLY);
  if (!file) return;  // the first start has no file
  const Result<std::string> bytes = read_fd(file->get(), kSizeLimit, kName);
  const Status taken = bytes ? file_system_.take_digests(*bytes, origin_) : Status(bytes.error());
  if (!taken) log_.info("digests start anew: " + directory_.as_known(taken.error().message));
}

void DigestFile::save_if_due() {
  if (std::chrono::steady_clock::now() >= next_) save_if_changed();
}

void DigestFile::save_if_changed() {
  const std::uint64_t learned = file_system_.learned_digests();
  if (origin_.empty() || learned == saved_) return;
  saved_ = learned;
  next_ = std::chrono::steady_clock::now() + kDigestFilePause;
  const Status saved = replace_file(join_path(directory_.anchored(), kName), file_system_.digests(origin_));
  if (!saved) log_.info("digests are not kept: " + directory_.as_known(saved.error().message));
}

}  // namespace hipcache::daemon
