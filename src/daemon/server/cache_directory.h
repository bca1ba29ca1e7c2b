// The daemon's directory within a cache directory: the ownership check, the lock, and the temporary directories.
//
//   <dir>/daemon.lock    flock by the daemon while it lives; holds its process id
//   <dir>/daemon.sock    the socket
//   <dir>/daemon.log     warnings and errors, if no log was configured
//   <dir>/events.jsonl, events.old.jsonl    the event log (hipcache/events/event_log.h)
//   <dir>/digests        the digests of files (cache_directory.h)
//   <dir>/settings       the settings that the daemon read when it started (hipcache/config/cache_place.h)
//   <dir>/libhipcache-trace.so   a link, if the path of the installed library cannot be preloaded (install_paths.h)
//   <dir>/tmp/<n>/       one per running request; the next daemon removes what a killed daemon left
//
// The daemon does not use another user's directory, or one that others may write to. It reaches its files through the
// descriptor of the directory that it locked. It stops when the path of the directory, the lock or the socket no longer
// leads to what it opened.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_CACHE_DIRECTORY_H
#define HIPCACHE_SRC_DAEMON_SERVER_CACHE_DIRECTORY_H

#include <chrono>
#include <cstdint>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

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

class CacheDirectory {
 public:
  // Makes the directory (0700) and locks it. Waits at most `patience` for a daemon that is stopping.
  static Result<CacheDirectory> make_and_lock(const std::string& path, std::chrono::milliseconds wait_budget,
                                              const DirectoryAccess& access = {});

  const std::string& path() const { return directory_.path(); }
  const OwnDirectory& own() const { return directory_; }
  std::string temporary() const { return path() + "/tmp"; }

  // Whether the path still leads to the directory and the lock that were taken. If not, a client may start another
  // daemon.
  bool is_in_place() const;

  // The path of this process's log; empty if the file is not the daemon's to write.
  std::string log() const;

 private:
  CacheDirectory(OwnDirectory directory, UniqueFd lock) : directory_(std::move(directory)), lock_(std::move(lock)) {}

  OwnDirectory directory_;
  UniqueFd lock_;
};

}  // namespace hipcache::daemon

#endif
