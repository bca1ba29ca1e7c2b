// Keeps the digests of files across daemons, in the file `digests` of the daemon's directory
// (src/inputs/state/kept_digests.h).
//
// Problem: the first hit of a new daemon read the whole compiler to digest it, which took 140 ms or more. A daemon that
// starts on demand and stops when idle would pay that many times a day.
// Choice: the daemon writes its digests when it ends, and periodically, because it may be killed. It writes to a
// temporary file and renames that.
// Rejected: the store, which other views and users read; the digests hold only for this view of the file system.
//
// A file that cannot be read, or is from another boot, is ignored. A failed write only loses the digests. Used by one
// thread.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_DIGEST_FILE_H
#define HIPCACHE_SRC_DAEMON_SERVER_DIGEST_FILE_H

#include <chrono>
#include <cstdint>
#include <string>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

inline constexpr std::chrono::seconds kDigestFilePause{30};  // minimum time between two writes while the daemon serves

class DigestFile {
 public:
  // Loads the digests of an earlier daemon into the world. REQUIRES: the arguments outlive this object.
  DigestFile(inputs::FileSystemState& file_system, const OwnDirectory& directory, const protocol::MountView& view,
             Log& log);

  // Writes the digests if there are new ones, at most once per kDigestFilePause.
  void save_if_due();
  // Writes the digests if there are new ones.
  void save_if_changed();

 private:
  void load();

  inputs::FileSystemState& file_system_;
  const OwnDirectory& directory_;
  Log& log_;
  std::string origin_;  // "" if the boot is unknown; then nothing is kept
  std::uint64_t saved_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace hipcache::daemon

#endif
