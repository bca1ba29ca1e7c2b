#include "hipcache/config/cache_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "config/keys.h"
#include "hipcache/base/files.h"
#include "hipcache/config/shown.h"

namespace hipcache::config {

namespace {

constexpr std::string_view kEquals = " = ";

// A path may hold a line break.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::optional<std::string> value_in(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(key) && line.substr(key.size()).starts_with(kEquals))
      return std::string(line.substr(key.size() + kEquals.size()));
  }
  return std::nullopt;
}

std::string shown(const std::string& value) { return value.empty() ? "none" : value; }

constexpr std::string_view kMark = " #";  // before the mark of what is not shown

std::string compared(const Key& key, const Settings& settings) {
  const std::string text = one_line(key.show(settings));
  const std::string whole = key.whole == nullptr ? "" : key.whole(settings);
  return whole.empty() ? text : text + std::string(kMark) + change_mark(whole);
}

// As people see it.
std::string without_mark(const Key& key, const std::string& text) {
  return key.whole == nullptr ? text : text.substr(0, text.rfind(kMark));
}

}  // namespace

std::string daemon_settings_text(const Settings& settings) {
  std::string text;
  for (const Key& key : keys())
    if (key.read_at == ReadAt::daemon_start)
      text.append(key.name).append(kEquals).append(compared(key, settings)).append("\n");
  return text;
}

Result<std::vector<UnusedSetting>> unused_settings(const Lookup& variable, std::string_view daemon_settings) {
  const Result<std::vector<Described>> ours = describe(variable);
  const Result<Settings> settings = load(variable);
  if (!ours) return ours.error();
  if (!settings) return settings.error();
  std::vector<UnusedSetting> unused;
  for (const Described& setting : *ours) {
    if (setting.origin == kDefaultOrigin) continue;
    const Key* key = find_key(setting.key);
    const std::optional<std::string> daemons = value_in(daemon_settings, setting.key);
    if (key == nullptr || !daemons || *daemons == compared(*key, *settings)) continue;
    unused.push_back({setting.key, setting.value, setting.origin, without_mark(*key, *daemons)});
  }
  return unused;
}

std::string describe(const UnusedSetting& setting) {
  const bool in_file = setting.origin.starts_with('/');
  const std::string difference =
      setting.value == setting.of_daemon
          ? " differs in what is not shown from what the running daemon uses"
          : " is " + shown(setting.value) + ", but the running daemon uses " + shown(setting.of_daemon);
  return (in_file ? setting.origin + ": " + setting.key : setting.origin) + difference +
         "; after hipcache --stop-server the next compile starts a daemon with the new value";
}

namespace {

constexpr mode_t kShared = S_ISGID | S_ISVTX;
constexpr mode_t kAll = S_IRWXU | S_IRWXG | S_IRWXO;

bool is_member(gid_t group) {
  if (group == getegid()) return true;
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count <= 0 || getgroups(count, groups.data()) < 0) return false;
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

bool group_writes(const struct stat& status) { return (status.st_mode & S_IWGRP) != 0; }

Error denied(std::string message) { return Error{std::move(message), ErrorCode::denied}; }

// For the directory's entries: only their owner may write.
DirectoryAccess private_access(const Settings& settings) {
  return {.owners = {geteuid()}, .group = {}, .directory_mode = kAll & ~(settings.umask | S_IWGRP | S_IWOTH)};
}

// A directory that another member of the group may have made.
Result<OwnDirectory> open_shared(const Settings& settings, const struct stat& status) {
  const std::string& path = settings.directory;
  if (!is_member(status.st_gid))
    return denied(path + " is shared by group " + std::to_string(status.st_gid) + ", of which you are no member");
  if ((status.st_mode & kShared) != kShared)
    return denied(path + " is writable by its group, whose members could replace each other's files; chmod g+s,+t " +
                  path);
  DirectoryAccess access = private_access(settings);
  access.owners = {geteuid(), 0, status.st_uid};
  access.group = status.st_gid;
  return OwnDirectory::open(path, access);
}

Result<OwnDirectory> open_private(const Settings& settings, const struct stat& status) {
  Result<OwnDirectory> opened = OwnDirectory::open(settings.directory, private_access(settings));
  const bool could_share = group_writes(status) && (status.st_mode & S_IWOTH) == 0 && is_member(status.st_gid);
  if (opened || opened.error().code != ErrorCode::denied || !could_share) return opened;
  return denied(opened.error().message + ", or share this one with its group: HIPCACHE_UMASK=007");
}

// chmod, because the umask of this process may remove permissions that the setting grants.
Status make_shared(const Settings& settings) {
  const std::string& path = settings.directory;
  const std::string parent(directory_name(path));
  if (Status made = make_directories(parent, kAll & ~(settings.umask | S_IWGRP)); !made) return made;
  if (mkdir(path.c_str(), S_IRWXU) != 0) return errno == EEXIST ? done() : system_error("cannot make directory", path);
  if (chmod(path.c_str(), (kAll & ~settings.umask) | kShared) != 0) return system_error("cannot share", path);
  return done();
}

}  // namespace

bool lets_group_write(const Settings& settings) { return (settings.umask & S_IWGRP) == 0; }

Result<OwnDirectory> open_cache_directory(const Settings& settings) {
  struct stat status{};
  if (stat(settings.directory.c_str(), &status) != 0) return system_error("cannot open directory", settings.directory);
  const bool is_shared = lets_group_write(settings) && group_writes(status);
  return is_shared ? open_shared(settings, status) : open_private(settings, status);
}

Result<OwnDirectory> open_or_make_cache_directory(const Settings& settings) {
  Result<OwnDirectory> opened = open_cache_directory(settings);
  if (opened || opened.error().code != ErrorCode::gone) return opened;
  if (!lets_group_write(settings)) return OwnDirectory::open_or_make(settings.directory, private_access(settings));
  if (Status made = make_shared(settings); !made) return made.error();
  return open_cache_directory(settings);
}

std::optional<gid_t> group_sharing(const Settings& settings, const OwnDirectory& directory) {
  struct stat status{};
  if (!lets_group_write(settings) || fstat(directory.fd(), &status) != 0 || !group_writes(status)) return std::nullopt;
  return status.st_gid;
}

}  // namespace hipcache::config
