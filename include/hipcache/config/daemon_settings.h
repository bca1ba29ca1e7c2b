// Tells which settings a running daemon does not use, because it read its own when it started.
//
// Problem: HIPCACHE_MAX_SIZE=50G does nothing if a daemon runs already, and nobody says so.
// Choice: the daemon writes the settings that it read at its start into a file of its directory. A
// client reads that file on a miss and compares.
// Rejected: a message of the protocol. Every miss would wait for one more reply.
//
// The file has one line "key = value" for each setting, as --show-config shows them: without secrets.
#ifndef HIPCACHE_CONFIG_DAEMON_SETTINGS_H
#define HIPCACHE_CONFIG_DAEMON_SETTINGS_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/config/settings.h"

namespace hipcache::config {

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

}  // namespace hipcache::config

#endif
