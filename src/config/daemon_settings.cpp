#include "hipcache/config/daemon_settings.h"

#include <algorithm>
#include <optional>

#include "config/keys.h"

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

}  // namespace

std::string daemon_settings_text(const Settings& settings) {
  std::string text;
  for (const Key& key : keys())
    if (key.read_at == ReadAt::daemon_start)
      text.append(key.name).append(kEquals).append(one_line(key.show(settings))).append("\n");
  return text;
}

Result<std::vector<UnusedSetting>> unused_settings(const Lookup& variable, std::string_view daemon_settings) {
  const Result<std::vector<Described>> ours = describe(variable);
  if (!ours) return ours.error();
  std::vector<UnusedSetting> unused;
  for (const Described& setting : *ours) {
    if (setting.origin == kDefaultOrigin) continue;
    const std::optional<std::string> daemons = value_in(daemon_settings, setting.key);
    if (!daemons || *daemons == one_line(setting.value)) continue;
    unused.push_back({setting.key, setting.value, setting.origin, *daemons});
  }
  return unused;
}

std::string describe(const UnusedSetting& setting) {
  const bool in_file = setting.origin.starts_with('/');
  return (in_file ? setting.origin + ": " + setting.key : setting.origin) + " is " + shown(setting.value) +
         ", but the running daemon uses " + shown(setting.of_daemon) +
         "; after hipcache --stop-server the next compile starts a daemon with the new value";
}

}  // namespace hipcache::config
