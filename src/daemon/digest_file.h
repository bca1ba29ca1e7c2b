// The digests of files that outlive the daemon, in a file of its directory: digests (src/inputs/kept_digests.h).
//
// Problem: the first hit of a new daemon read all of the compiler to digest it, 140 ms and more, and a daemon that is
// started on demand and leaves when idle does so many times a day.
// Choice: the daemon writes what it knows at its end, and now and then before, as it may be killed; by temporary file
// and rename. Rejected: the store, which other views and users read; digests hold for this view of the file system
// alone.
//
// What cannot be read, or is of another boot, is left unused; what cannot be written is lost. Used by one thread.
#ifndef HIPCACHE_DAEMON_DIGEST_FILE_H
#define HIPCACHE_DAEMON_DIGEST_FILE_H

#include <chrono>
#include <cstdint>
#include <string>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/inputs/world.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

inline constexpr std::chrono::seconds kDigestFilePause{30};  // between two writes while the daemon serves

class DigestFile {
 public:
  // Gives the world what an earlier daemon knew. REQUIRES: the arguments outlive it.
  DigestFile(inputs::World& world, const OwnDirectory& directory, const protocol::Namespace& view, Log& log);

  // Writes what is new, at most once every kDigestFilePause.
  void save_if_due();
  // Writes what is new.
  void save_if_changed();

 private:
  void load();

  inputs::World& world_;
  const OwnDirectory& directory_;
  Log& log_;
  std::string origin_;  // "" if the boot cannot be told: then nothing is kept
  std::uint64_t saved_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace hipcache::daemon

#endif
