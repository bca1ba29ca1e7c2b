// The daemon's directory within a cache directory: the ownership check, the lock, and the temporary directories.
//
//   <dir>/daemon.lock    flock by the daemon while it lives; holds its process id
//   <dir>/daemon.sock    the socket
//   <dir>/daemon.log     warnings and errors, if no log was configured
//   <dir>/events.jsonl, events.old.jsonl    the event log (hipcache/events/event_log.h)
//   <dir>/digests        the digests of files (digest_file.h)
//   <dir>/settings       the settings that the daemon read when it started (hipcache/config/cache_place.h)
//   <dir>/libhipcache-trace.so   a link, if the path of the installed library cannot be preloaded (main.cpp)
//   <dir>/tmp/<n>/       one per running request; the next daemon removes what a killed daemon left
//
// The daemon does not use another user's directory, or one that others may write to. It reaches its files through the
// descriptor of the directory that it locked. It stops when the path of the directory, the lock or the socket no longer
// leads to what it opened.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_CACHE_DIRECTORY_H
#define HIPCACHE_SRC_DAEMON_SERVER_CACHE_DIRECTORY_H

#include <chrono>
#include <string>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

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

// The link by which processes in other mount namespaces find this daemon (hipcache/launcher/daemon_address.h).
//
// One daemon has it, for all namespaces of one user and root directory: the first, until it ends. That is mostly the
// one outside of the others. Another user may plant a link where a group shares the cache directory: clients connect
// only to daemons of their own user.
class OuterName {
 public:
  // `daemon`: the name of this daemon's directory in the cache directory, which outlives the object.
  OuterName(const OwnDirectory& cache, std::string daemon) : cache_(cache), daemon_(std::move(daemon)) {}
  ~OuterName();
  OuterName(const OuterName&) = delete;
  OuterName& operator=(const OuterName&) = delete;

  // Takes the name if no living daemon has it. Called again and again: that one may end.
  void take_if_free() const;

 private:
  const OwnDirectory& cache_;
  const std::string daemon_;
};

// Removes this user's directories of daemons whose view of the file system is gone, such as those of ended containers:
// all except `own` in which no daemon runs or starts, and none started for a day. Until then somebody may want the log.
// Also removes links that killed daemons left (OuterName). The next daemon retries what cannot be removed.
void remove_stale_daemons(const std::string& cache_directory, const std::string& own);

}  // namespace hipcache::daemon

#endif
