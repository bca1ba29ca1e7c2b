// Opens the cache directory with the access that the settings allow: one user's, or shared by a
// group.
//
// Problem: users of a group want one cache, but whoever may change its contents decides what is
// served.
// Choice: a directory that its group may write to, with the set-group-ID and the sticky bit.
// Members make their own entries in it, which belong to the directory's group. No member can write
// to or replace another's entries. With HIPCACHE_UMASK=007 (or 002) the user asks for this, and
// trusts the members of the directory's group.
// Rejected: reading that wish from the directory's mode (its owner would decide whom its users
// trust).
#ifndef HIPCACHE_CONFIG_CACHE_PLACE_H
#define HIPCACHE_CONFIG_CACHE_PLACE_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::config {

// Tells which settings a running daemon does not use, because it read its own when it started.
//
// Problem: HIPCACHE_MAX_SIZE=50G does nothing if a daemon runs already, and nobody says so.
// Choice: the daemon writes the settings that it read at its start into a file of its directory. A
// client reads that file on a miss and compares.
// Rejected: a message of the protocol. Every miss would wait for one more reply.
//
// The file has one line "key = value" for each setting, as --show-config shows them: without secrets.

inline constexpr const char* kDaemonSettingsFile = "settings";  // in the daemon's directory
inline constexpr std::uint64_t kDaemonSettingsLimit = 1u << 20;

// The settings that count at the daemon's start, as the contents of that file.
std::string daemon_settings_text(const Settings& settings);

struct UnusedSetting {
  std::string key;
  std::string value;
  std::string origin;     // the file's path, or the variable's name
  std::string of_daemon;  // the value that the daemon uses
};

// The settings that the user gave and that differ from the daemon's. A setting at its default is
// none: the user asked for nothing.
Result<std::vector<UnusedSetting>> unused_settings(const Lookup& variable, std::string_view daemon_settings);

// "HIPCACHE_MAX_SIZE is 50G, but the running daemon uses 20G; ...", with the remedy.
std::string describe(const UnusedSetting& setting);

// Opens and checks the directory without making it: ErrorCode::gone if it is missing.
Result<OwnDirectory> open_cache_directory(const Settings& settings);
// The same, but makes the directory and its parents if it is missing.
Result<OwnDirectory> open_or_make_cache_directory(const Settings& settings);

// Whether the umask lets a group share the cache.
bool lets_group_write(const Settings& settings);

// The group whose members share the directory; nothing if only one user uses it.
std::optional<gid_t> group_sharing(const Settings& settings, const OwnDirectory& directory);

}  // namespace hipcache::config

#endif
