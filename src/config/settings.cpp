#include "hipcache/config/settings.h"

#include <sys/stat.h>
#include <unistd.h>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/base/text.h"
#include "hipcache/config/values.h"
#include "hipcache/launcher/cache_location.h"

namespace hipcache::config {

namespace {

constexpr std::string_view kPrefix = "HIPCACHE_";
constexpr std::size_t kMost = 16;  // unknown variables that are told; an environment may hold any number

// Without the prefix, so that its length does not excuse mistakes.
const std::vector<std::string>& known_names() {
  static const std::vector<std::string> kKnown = [] {
    std::vector<std::string> names{"DIR", "CONFIG"};
    for (const Key& key : keys()) names.push_back(variable_of(key.name).substr(kPrefix.size()));
    return names;
  }();
  return kKnown;
}

// hipcache sets this one for the trace library, and a compiler may run hipcache.
bool is_internal(std::string_view name) { return name == "TRACE"; }

}  // namespace

std::vector<UnknownVariable> unknown_variables(const std::vector<std::string>& environment) {
  const std::vector<std::string>& known = known_names();
  std::vector<UnknownVariable> unknown;
  for (const std::string& entry : environment) {
    if (!entry.starts_with(kPrefix) || unknown.size() == kMost) continue;
    const std::string name = entry.substr(kPrefix.size(), entry.find('=') - kPrefix.size());
    if (is_internal(name) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = nearest(name, known);
    unknown.push_back({std::string(kPrefix) + name, meant.empty() ? "" : std::string(kPrefix) + meant});
  }
  return unknown;
}

std::optional<std::string> missing_file(const Lookup& variable) {
  if (variable("HIPCACHE_CONFIG").value_or("").empty()) return std::nullopt;
  const Result<Settings> located = locate(variable);
  if (!located || access(located->file.c_str(), F_OK) == 0) return std::nullopt;
  return errno == ENOENT || errno == ENOTDIR ? std::optional(located->file) : std::nullopt;
}

namespace {

using FileEntries = std::vector<std::pair<std::string, std::string>>;

// Reads the TOML file: its top-level keys as texts, in the form that the environment variables
// have.

constexpr std::uint64_t kFileLimit = 1u << 20;

std::optional<std::string> text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* share = node.as_floating_point()) return format_share(share->get());
  return std::nullopt;
}

std::optional<std::string> text_of(const toml::array& array) {
  std::vector<std::string> items;
  for (const toml::node& node : array) {
    if (!node.is_string()) return std::nullopt;
    items.push_back(node.as_string()->get());
  }
  return format_list(items);
}

Error at_line(const std::string& path, const toml::source_region& source, std::string_view message) {
  return Error{path + ": line " + std::to_string(source.begin.line) + ": " + std::string(message)};
}

Result<FileEntries> entries_of(const toml::table& table, const std::string& path) {
  FileEntries entries;
  for (const auto& [key, node] : table) {
    const std::optional<std::string> text = node.is_array() ? text_of(*node.as_array()) : text_of(node);
    const std::string name(key.str());
    if (!text)
      return at_line(path, node.source(), name + " should be a string, a number, true or false, or a list of strings");
    entries.emplace_back(name, *text);
  }
  return entries;
}

// A missing file gives no entries. Errors name the file and, if known, the line.
Result<FileEntries> read_entries(const std::string& path) {
  if (path.empty()) return FileEntries();
  // If a parent directory cannot be searched (another user's HOME), the file counts as missing,
  // too.
  if (access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES)) return FileEntries();
  Result<std::string> bytes = read_file(path, kFileLimit);
  if (!bytes) return bytes.error();
  toml::parse_result parsed = toml::parse(*bytes);
  if (!parsed) return at_line(path, parsed.error().source(), parsed.error().description());
  return entries_of(parsed.table(), path);
}

// An empty variable counts as not set, as in the XDG specification.
std::optional<std::string> set_variable(const Lookup& variable, const std::string& name) {
  std::optional<std::string> value = variable(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

constexpr launch_location kFile{"HIPCACHE_CONFIG", "XDG_CONFIG_HOME", ".config", "hipcache/config.toml"};

struct Question {
  const Lookup& variable;
  std::optional<std::string> value;  // of the last variable that was asked for
};

const char* ask(void* context, const char* name) {
  auto& question = *static_cast<Question*>(context);
  question.value = question.variable(name);
  return question.value ? question.value->c_str() : nullptr;
}

struct Located {
  launch_located how = LAUNCH_NO_PATH;
  std::string path;
};

Located find(const launch_location& place, const Lookup& variable) {
  Question question{variable, std::nullopt};
  char path[PATH_MAX] = "";
  const launch_located how = launch_locate(&place, ask, &question, path);
  return {how, path};
}

std::string home_of(const Lookup& variable) {
  Question question{variable, std::nullopt};
  char home[PATH_MAX] = "";
  return launch_home(ask, &question, home) ? home : "";
}

Error not_located(const launch_location& place, launch_located how) {
  if (how == LAUNCH_NO_HOME)
    return Error{std::string("HOME is not set, and /etc/passwd names no home directory: set ") + place.variable};
  return Error{std::string("the current directory is gone or a path is too long: set ") + place.variable};
}

Error unknown_key(const std::string& file, const std::string& name) {
  const std::string near = nearest_key(name);
  return Error{file + ": unknown key \"" + name + "\"; " +
               (near.empty() ? "the keys are " : "is " + near + " meant? The keys are ") + known_keys()};
}

// If the value is invalid, `settings` stays unchanged.
Status set_from_file(Settings& settings, const std::string& name, const std::string& text) {
  const Key* key = find_key(name);
  if (key == nullptr) return unknown_key(settings.file, name);
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
  std::string origin = kDefaultOrigin;
  for (const auto& [name, place] : loaded.origins)
    if (name == key) origin = place;  // the last one won
  return origin;
}

std::string origin_of(const launch_location& place, const Lookup& variable) {
  return set_variable(variable, place.variable) ? place.variable : kDefaultOrigin;
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
  const Located directory = find(launch_cache_directory, variable);
  if (directory.how > LAUNCH_BELOW_HOME) return not_located(launch_cache_directory, directory.how);
  const Located file = find(kFile, variable);
  if (file.how == LAUNCH_NO_PATH) return not_located(kFile, file.how);
  // Each compile would read the file of its own directory.
  if (const auto named = set_variable(variable, kFile.variable); named && !named->starts_with('/'))
    return Error{"HIPCACHE_CONFIG is " + *named + ": each directory would have another file; give an absolute path"};
  Settings settings;
  settings.directory = directory.path;
  if (directory.how == LAUNCH_BELOW_HOME) settings.user_home = home_of(variable);
  if (file.how != LAUNCH_NO_HOME) settings.file = file.path;  // without a home directory there is no file
  return settings;
}

Status check_home(const Settings& settings) {
  struct stat status{};
  if (settings.user_home.empty()) return done();
  if (stat(settings.user_home.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return done();
  return Error{"the home directory is " + settings.user_home + ", which is no directory: set HIPCACHE_DIR",
               ErrorCode::gone};
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
  std::vector<Described> described{{"dir", settings.directory, origin_of(launch_cache_directory, variable)},
                                   {"config", settings.file, origin_of(kFile, variable)}};
  for (const Key& key : keys())
    described.push_back({std::string(key.name), key.show(settings), origin_of(*loaded, key.name)});
  return described;
}

}  // namespace hipcache::config
