// The daemon's side of --export and --import (hipcache/protocol/remote_messages.h).
//
// hipcache-remote, a process of the user who typed the option, reads and writes the file; the daemon sends it results
// in the form of publications, and takes results as it takes those of shared caches. So the daemon links no archive
// library, writes to no path that a client names, and blocks on nobody's disk (docs/internals/architecture.md,
// "Archives"). Rejected: the daemon writes the file: it would need the user's directory, umask and permissions.
//
// hipcache-remote also makes and checks signatures. The daemon tells it trusted_keys and signing_key first: those that
// the daemon was started with count, as for shared caches. Whoever could send results without that check has this
// user's rights, and may write to the store anyway.
//
// Each returns when the transfer has ended, or when the other side is gone or silent for kSilence. Other requests go on
// meanwhile.
#ifndef HIPCACHE_SRC_DAEMON_REMOTE_ARCHIVE_SESSIONS_H
#define HIPCACHE_SRC_DAEMON_REMOTE_ARCHIVE_SESSIONS_H

#include <chrono>

#include "hipcache/base/log.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/remote_messages.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

inline constexpr std::chrono::minutes kSilence{10};  // of a slow disk, or a pipe to a slow network

struct Exchange {
  store::LocalStore& store;
  cache::MissHistory& history;
  const config::Settings& settings;  // the daemon's own
  Log& log;
};

void serve_export(protocol::Channel& channel, const Exchange& exchange);
void serve_import(protocol::Channel& channel, const Exchange& exchange);

}  // namespace hipcache::daemon

#endif
