#include "config/keys.h"

#include <utility>

#include "hipcache/base/text.h"
#include "hipcache/config/remote_url.h"
#include "hipcache/config/settings.h"
#include "hipcache/config/shown.h"
#include "hipcache/config/values.h"

namespace hipcache::config {
namespace {

constexpr const char* kAuto = "auto";

// Stores a parsed value, or returns its error.
template <typename T, typename Parsed>
Status assign(T& setting, Result<Parsed> parsed) {
  if (!parsed) return parsed.error();
  setting = std::move(*parsed);
  return done();
}

template <bool Settings::* member>
Status set_boolean(Settings& settings, const std::string& text) {
  return assign(settings.*member, parse_boolean(text));
}

template <bool Settings::* member>
std::string show_boolean(const Settings& settings) {
  return settings.*member ? "true" : "false";
}

template <std::string Settings::* member>
Status set_text(Settings& settings, const std::string& text) {
  settings.*member = text;
  return done();
}

template <std::string Settings::* member>
std::string show_text(const Settings& settings) {
  return settings.*member;
}

Status set_max_size(Settings& settings, const std::string& text) { return assign(settings.max_size, parse_size(text)); }

Status set_event_log(Settings& settings, const std::string& text) {
  return assign(settings.event_log, parse_size(text));
}

Status set_base_directories(Settings& settings, const std::string& text) {
  std::vector<std::string> directories = parse_path_list(text);
  for (const std::string& directory : directories)
    if (directory.front() != '/') return Error{"\"" + directory + "\" is not an absolute directory"};
  settings.base_directories = std::move(directories);
  return done();
}

Status set_remote(Settings& settings, const std::string& text) {
  std::vector<std::string> urls = parse_list(text);
  for (const std::string& url : urls)
    if (const Result<RemoteUrl> parsed = parse_remote_url(url); !parsed) return parsed.error();
  settings.remote = std::move(urls);
  return done();
}

std::string show_remote(const Settings& settings) {
  std::vector<std::string> shown;
  for (const std::string& url : settings.remote) shown.push_back(shown_url(url));
  return format_list(shown);
}

Status set_execute(Settings& settings, const std::string& text) {
  settings.execute.reset();
  return text.empty() ? done() : assign(settings.execute, parse_execute_url(text));
}

std::string show_execute(const Settings& settings) { return settings.execute ? settings.execute->server.shown : ""; }

Status set_trusted_keys(Settings& settings, const std::string& text) {
  std::vector<std::string> trusted = parse_list(text);
  for (const std::string& key : trusted)
    if (const Result<TrustedKey> parsed = parse_trusted_key(key); !parsed) return parsed.error();
  settings.trusted_keys = std::move(trusted);
  return done();
}

Status set_signing_key(Settings& settings, const std::string& text) {
  if (!text.empty() && text.front() != '/')
    return Error{"the value is not the absolute path of a private key; write the key into a file, and name that"};
  settings.signing_key = text;
  return done();
}

std::string show_signing_key(const Settings& settings) { return shown_secret(settings.signing_key); }

Status set_seeds(Settings& settings, const std::string& text) {
  std::vector<std::string> seeds = parse_directories(text);
  for (const std::string& seed : seeds)
    if (seed.front() != '/') return Error{"\"" + seed + "\" is not an absolute directory"};
  settings.seeds = std::move(seeds);
  return done();
}

Status set_umask(Settings& settings, const std::string& text) {
  const Result<unsigned> mask = parse_umask(text);
  if (!mask) return mask.error();
  if ((*mask & 0700) != 0) return Error{"\"" + text + "\" takes the cache from its owner; 077, 027 and 007 do not"};
  if ((*mask & 0002) == 0) return Error{"\"" + text + "\" lets everybody write to the cache; 077, 027 and 007 do not"};
  settings.umask = *mask;
  return done();
}

// Users type a program's name without its directory.
bool is_further_compiler(std::string_view text) {
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (name.empty() || name.find('/') != std::string_view::npos) return false;
  return equals == std::string_view::npos || text.substr(equals) == "=gcc" || text.substr(equals) == "=clang";
}

Status set_compilers(Settings& settings, const std::string& text) {
  std::vector<std::string> compilers = parse_list(text);
  for (const std::string& compiler : compilers)
    if (!is_further_compiler(compiler))
      return Error{"\"" + compiler + "\" is not the name of a program such as mpicxx, mpicxx=gcc or mycc=clang"};
  settings.compilers = std::move(compilers);
  return done();
}

Status set_jobs(Settings& settings, const std::string& text) { return assign(settings.jobs, parse_count(text)); }

Status set_audit(Settings& settings, const std::string& text) {
  settings.audit.reset();
  return text == kAuto ? done() : assign(settings.audit, parse_share(text));
}

std::string show_audit(const Settings& settings) { return settings.audit ? format_share(*settings.audit) : kAuto; }

Status set_idle_timeout(Settings& settings, const std::string& text) {
  return assign(settings.idle_timeout, parse_duration(text));
}

Status set_log(Settings& settings, const std::string& text) {
  if (!text.empty() && text != "stderr" && text.front() != '/')
    return Error{"\"" + text + "\" is not \"stderr\" or an absolute path"};
  settings.log = text;
  return done();
}

Status set_cuid(Settings& settings, const std::string& text) {
  if (!text.empty() && text != "auto" && text != "keep") return Error{"\"" + text + "\" is not \"auto\" or \"keep\""};
  settings.cuid = text == "auto" ? "" : text;
  return done();
}

constexpr const char* kAlways = "always";

Status set_preamble(Settings& settings, const std::string& text) {
  if (text == kAlways) {
    settings.preamble = Settings::Preamble::always;
    return done();
  }
  const Result<bool> is_on = text == kAuto ? Result<bool>(true) : parse_boolean(text);
  if (!is_on) return Error{"\"" + text + "\" is not \"auto\", \"always\" or a boolean"};
  settings.preamble = *is_on ? Settings::Preamble::on : Settings::Preamble::off;
  return done();
}

std::string show_preamble(const Settings& settings) {
  if (settings.preamble == Settings::Preamble::off) return "false";
  return settings.preamble == Settings::Preamble::always ? kAlways : kAuto;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> kKeys{
      {"max_size", "limit of the store on disk; 0: no limit", set_max_size,
       [](const Settings& settings) { return format_size(settings.max_size); }, ReadAt::daemon_start},
      {"basedir", "base directories, whose results are shared; with colons between them", set_base_directories,
       [](const Settings& settings) { return format_path_list(settings.base_directories); }},
      {"remote", "URLs of shared caches, in the order in which they are asked", set_remote, show_remote,
       ReadAt::daemon_start, [](const Settings& settings) { return format_list(settings.remote); }},
      {"execute", "URL of a Remote Execution engine whose workers run steps while this machine is busy", set_execute,
       show_execute, ReadAt::daemon_start,
       [](const Settings& settings) { return settings.execute ? settings.execute->text : ""; }},
      {"trusted_keys", "public keys (name:base64); only what they signed is taken from shared caches and archives",
       set_trusted_keys, [](const Settings& settings) { return format_list(settings.trusted_keys); },
       ReadAt::daemon_start},
      {"signing_key", "absolute path of the private key that signs what goes to shared caches and archives",
       set_signing_key, show_signing_key, ReadAt::daemon_start,
       [](const Settings& settings) { return settings.signing_key; }},
      {"seed", "absolute cache directories that are only read", set_seeds,
       [](const Settings& settings) { return format_list(settings.seeds); }, ReadAt::daemon_start},
      {"umask", "octal: rights that the cache's files do not get; 007 and 002 share the cache with a group", set_umask,
       [](const Settings& settings) { return format_umask(settings.umask); }, ReadAt::daemon_start},
      {"readonly", "use stored results, store nothing", set_boolean<&Settings::readonly>,
       show_boolean<&Settings::readonly>},
      {"recache", "use no stored result, store new ones", set_boolean<&Settings::recache>,
       show_boolean<&Settings::recache>},
      {"disable", "run the compiler without the cache", set_boolean<&Settings::disable>,
       show_boolean<&Settings::disable>},
      {"namespace", "results of one namespace are not used in another", set_text<&Settings::cache_namespace>,
       show_text<&Settings::cache_namespace>},
      {"jobs", "steps that run at once on this machine; 0: one for each processor", set_jobs,
       [](const Settings& settings) { return std::to_string(settings.jobs); }, ReadAt::daemon_start},
      {"idle_timeout", "the daemon ends after this time without a request; 0: never", set_idle_timeout,
       [](const Settings& settings) { return format_duration(settings.idle_timeout); }, ReadAt::daemon_start},
      {"audit", "share of stored results that are made again and compared, from 0 to 1", set_audit, show_audit},
      {"log", "stderr, or the absolute path of a log file", set_log, show_text<&Settings::log>, ReadAt::daemon_start},
      {"event_log", "size of the event log on disk; 0: none", set_event_log,
       [](const Settings& settings) { return format_size(settings.event_log); }, ReadAt::daemon_start},
      {"share_history", "miss histories go into archives and shared caches, and explain misses on other machines",
       set_boolean<&Settings::share_history>, show_boolean<&Settings::share_history>, ReadAt::daemon_start},
      {"compilers", "names of further compilers: mpicxx, mpicxx=gcc, mycc=clang", set_compilers,
       [](const Settings& settings) { return format_list(settings.compilers); }},
      {"cuid", "auto: hipcache chooses the id of a translation unit; keep: the compiler does", set_cuid,
       [](const Settings& settings) { return settings.cuid.empty() ? "auto" : settings.cuid; }},
      {"preamble",
       "auto: light HIP jobs use clang's wrapper header precompiled; false: none does; always: all do, at once",
       set_preamble, show_preamble},
      {"quiet", "compiles say nothing about wrong settings", set_boolean<&Settings::quiet>,
       show_boolean<&Settings::quiet>},
  };
  return kKeys;
}

std::vector<SettingText> setting_texts() {
  std::vector<SettingText> texts;
  for (const Key& key : keys())
    texts.push_back({.key = key.name,
                     .variable = variable_of(key.name),
                     .standard = key.show(Settings()),
                     .meaning = key.meaning,
                     .is_of_daemon = key.read_at == ReadAt::daemon_start});
  return texts;
}

const Key* find_key(std::string_view name) {
  for (const Key& key : keys())
    if (key.name == name) return &key;
  return nullptr;
}

std::string variable_of(std::string_view key) {
  std::string name = "HIPCACHE_";
  for (const char letter : key) name += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return name;
}

std::string nearest_key(std::string_view name) {
  std::vector<std::string> names;
  for (const Key& key : keys()) names.emplace_back(key.name);
  return nearest(name, names);
}

std::string known_keys() {
  std::string names;
  for (const Key& key : keys()) names.append(names.empty() ? "" : ", ").append(key.name);
  return names;
}

}  // namespace hipcache::config
