#include "hipcache/config/settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "config/file.h"
#include "config/keys.h"
#include "config/values.h"
#include "hipcache/base/files.h"

namespace hipcache::config {
namespace {

// An empty variable counts as not set, as in the XDG specification.
std::optional<std::string> set_variable(const Lookup& variable, const std::string& name) {
  std::optional<std::string> value = variable(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

Result<std::string> absolute(const std::string& path) {
  if (path.front() == '/') return path;
  char here[PATH_MAX];
  if (getcwd(here, sizeof here) == nullptr) return system_error("cannot find the current directory for", path);
  return join_path(here, path);
}

struct Place {
  const char* variable;
  const char* xdg;
  const char* below_home;
  const char* name;
};
constexpr Place kDirectory{"HIPCACHE_DIR", "XDG_CACHE_HOME", ".cache", "hipcache"};
constexpr Place kFile{"HIPCACHE_CONFIG", "XDG_CONFIG_HOME", ".config", "hipcache/config.toml"};

// The XDG specification says to ignore a relative XDG_*.
Result<std::string> locate_place(const Place& place, const Lookup& variable) {
  if (const auto chosen = set_variable(variable, place.variable)) return absolute(*chosen);
  const auto xdg = set_variable(variable, place.xdg);
  if (xdg && xdg->front() == '/') return join_path(*xdg, place.name);
  const auto home = set_variable(variable, "HOME");
  if (!home) return Error{std::string("HOME is not set: set ") + place.variable};
  return absolute(join_path(join_path(*home, place.below_home), place.name));
}

bool is_below_home(const Place& place, const Lookup& variable) {
  const auto xdg = set_variable(variable, place.xdg);
  return !set_variable(variable, place.variable) && !(xdg && xdg->front() == '/');
}

// If the value is invalid, `settings` stays unchanged.
Status set_from_file(Settings& settings, const std::string& name, const std::string& text) {
  const Key* key = find_key(name);
  if (key == nullptr) return Error{settings.file + ": unknown key \"" + name + "\"; the keys are " + known_keys()};
  if (Status set = key->set(settings, text); !set)
    return Error{settings.file + ": " + name + ": " + set.error().message};
  return done();
}

Status set_from_variable(Settings& settings, const Key& key, const std::string& text) {
  if (Status set = key.set(settings, text); !set) return Error{variable_of(key.name) + ": " + set.error().message};
  return done();
}

// The settings and the origins of their keys; `origins` lacks keys at their default.
struct Loaded {
  Settings settings;
  std::vector<std::pair<std::string, std::string>> origins;
};

Result<Loaded> load_with_origins(const Lookup& variable) {
  Result<Settings> located = locate(variable);
  if (!located) return located.error();
  Loaded loaded{std::move(*located), {}};
  Result<FileEntries> entries = read_entries(loaded.settings.file);
  if (!entries) return entries.error();
  for (const auto& [name, text] : *entries) {
    if (Status set = set_from_file(loaded.settings, name, text); !set) return set.error();
    loaded.origins.emplace_back(name, loaded.settings.file);
  }
  for (const Key& key : keys()) {
    const auto text = set_variable(variable, variable_of(key.name));
    if (!text) continue;
    if (Status set = set_from_variable(loaded.settings, key, *text); !set) return set.error();
    loaded.origins.emplace_back(key.name, variable_of(key.name));
  }
  return loaded;
}

std::string origin_of(const Loaded& loaded, std::string_view key) {
  std::string origin = "default";
  for (const auto& [name, place] : loaded.origins)
    if (name == key) origin = place;  // the last one won
  return origin;
}

std::string origin_of(const Place& place, const Lookup& variable) {
  return set_variable(variable, place.variable) ? place.variable : "default";
}

}  // namespace

Lookup lookup_in(const std::vector<std::string>& environment) {
  return [environment](const std::string& name) -> std::optional<std::string> {
    for (const std::string& entry : environment)
      if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
        return entry.substr(name.size() + 1);
    return std::nullopt;
  };
}

Lookup lookup_in_process() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Result<Settings> locate(const Lookup& variable) {
  Settings settings;
  Result<std::string> directory = locate_place(kDirectory, variable);
  if (!directory) return directory.error();
  settings.directory = std::move(*directory);
  if (is_below_home(kDirectory, variable)) settings.user_home = *variable("HOME");
  if (is_below_home(kFile, variable) && !set_variable(variable, "HOME"))
    return settings;  // without HOME there is no file
  Result<std::string> file = locate_place(kFile, variable);
  if (!file) return file.error();
  settings.file = std::move(*file);
  return settings;
}

Status check_home(const Settings& settings) {
  struct stat status{};
  if (settings.user_home.empty()) return done();
  if (stat(settings.user_home.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return done();
  return Error{"HOME is " + settings.user_home + ", which is no directory: set HIPCACHE_DIR", ErrorCode::gone};
}

bool is_disabled(const Lookup& variable) {
  const auto text = set_variable(variable, "HIPCACHE_DISABLE");
  if (!text) return false;
  const Result<bool> disabled = parse_boolean(*text);
  return !disabled || *disabled;
}

Result<Settings> load(const Lookup& variable) {
  Result<Loaded> loaded = load_with_origins(variable);
  if (!loaded) return loaded.error();
  return std::move(loaded->settings);
}

Result<std::vector<Described>> describe(const Lookup& variable) {
  Result<Loaded> loaded = load_with_origins(variable);
  if (!loaded) return loaded.error();
  const Settings& settings = loaded->settings;
  std::vector<Described> described{{"dir", settings.directory, origin_of(kDirectory, variable)},
                                   {"config", settings.file, origin_of(kFile, variable)}};
  for (const Key& key : keys())
    described.push_back({std::string(key.name), key.show(settings), origin_of(*loaded, key.name)});
  return described;
}

}  // namespace hipcache::config
