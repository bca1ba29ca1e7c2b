// What users can set: a TOML file, and for each of its keys an environment variable that takes
// precedence.
//
// Variables of one request (DISABLE, RECACHE, READONLY, BASEDIR, NAMESPACE, AUDIT, COMPILERS, CUID, QUIET)
// are read from the client's environment. For the others, the environment that the daemon started
// with counts. docs/configuration.md lists all. A bad file or value is an error of one line that
// names the file, the key, the value and the values allowed.
#ifndef HIPCACHE_CONFIG_SETTINGS_H
#define HIPCACHE_CONFIG_SETTINGS_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/execute_url.h"

namespace hipcache::config {

// What the man page says of each setting of the file. docs/configuration.md says more.

struct SettingText {
  std::string_view key;
  std::string variable;
  std::string standard;  // the value without a setting; empty: none
  std::string_view meaning;
  bool is_of_daemon = false;  // a running daemon keeps the value with which it started
};

// In the order in which --show-config lists them.
std::vector<SettingText> setting_texts();

// Whether a base directory is a pattern of the shell's and stands for several.
inline constexpr std::string_view kOfPatterns = "*?[";
inline bool is_pattern(std::string_view directory) { return directory.find_first_of(kOfPatterns) != directory.npos; }

struct Settings {
  std::string directory;  // HIPCACHE_DIR; variable only. Absolute
  // HIPCACHE_CONFIG; variable only. Absolute, or empty; need not exist.
  std::string file;
  // The home directory if `directory` is the default below it; else empty.
  std::string user_home;
  // Bytes; "20G", "500M", "1.5GiB", "0" = no limit.
  std::uint64_t max_size = 20'000'000'000;
  std::vector<std::string> base_directories;  // HIPCACHE_BASEDIR; absolute, or patterns of such
  // HIPCACHE_REMOTE; valid URLs (remote_url.h), with their secrets.
  std::vector<std::string> remote;
  // HIPCACHE_EXECUTE; the engine that runs steps for this machine, or nothing.
  std::optional<ExecuteUrl> execute;
  // HIPCACHE_TRUSTED_KEYS; valid public keys (values.h) whose results are taken from shared
  // caches. If neither these nor a signing key are set, all results are.
  std::vector<std::string> trusted_keys;
  std::string signing_key;  // HIPCACHE_SIGNING_KEY; absolute path of a private key, or empty
  // HIPCACHE_SEED; cache directories that are only read. Absolute.
  std::vector<std::string> seeds;
  // HIPCACHE_UMASK; octal. Users outside the group may never write.
  unsigned umask = 077;
  bool readonly = false;
  bool recache = false;
  bool disable = false;
  std::string cache_namespace;  // HIPCACHE_NAMESPACE
  // HIPCACHE_JOBS; 0 = the processors that this process may use.
  unsigned jobs = 0;
  std::chrono::seconds idle_timeout{600};  // "600", "10m", "0" = never
  // HIPCACHE_AUDIT; the share, 0 to 1, of hits, of back ends of the codegen split and of plans under
  // neutral names, and of front ends with a wrapper header, that are made again and compared. Nothing ("auto"):
  // kAuditedTokenHits of the hits by tokens and no other hits, kAuditedBackEnds of the back ends, kAuditedPlans of
  // the plans, kAuditedPreambles of the front ends.
  std::optional<double> audit;
  std::string log;  // a path or "stderr"; empty = none
  // HIPCACHE_EVENT_LOG; bytes of the event log, as max_size; 0 = none.
  std::uint64_t event_log = 64'000'000;
  // HIPCACHE_SHARE_HISTORY; miss histories go into archives and to shared caches, and come from these.
  bool share_history = true;
  // HIPCACHE_COMPILERS; further ones: "NAME", "NAME=gcc" or "NAME=clang".
  std::vector<std::string> compilers;
  // HIPCACHE_CUID: "auto" (default, empty) or "keep" (leave the compiler's own).
  std::string cuid;
  // HIPCACHE_PREAMBLE: whether front ends of HIP use a wrapper header that was made before. `on` is "auto". `always`:
  // from the first job on, whatever jobs take; for tests.
  enum class Preamble : std::uint8_t { off, on, always };
  Preamble preamble = Preamble::on;
  bool quiet = false;  // HIPCACHE_QUIET; compiles say nothing about wrong settings
};

inline constexpr double kAuditedBackEnds = 0.002;
inline constexpr double kAuditedPlans = 0.002;
inline constexpr double kAuditedTokenHits = 0.005;
inline constexpr double kAuditedPreambles = 0.01;  // of the front ends that use a wrapper header

// The value of a variable, or nothing.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
Lookup lookup_in(const std::vector<std::string>& environment);  // copies
Lookup lookup_in_process();

// Only HIPCACHE_DIR and HIPCACHE_CONFIG with their defaults: a hit needs no more, and reads no
// file.
Result<Settings> locate(const Lookup& variable);

// Whether HIPCACHE_DISABLE is set to anything but a false value. A value that is no boolean
// disables the cache, because not caching is always correct. Reads no file.
bool is_disabled(const Lookup& variable);

// An error if the directory would have to be made in a home directory that does not exist. Services
// have such a HOME, and hipcache must not create it.
Status check_home(const Settings& settings);

// All settings. The file need not exist; if it exists, it must be readable and valid.
Result<Settings> load(const Lookup& variable);

inline constexpr const char* kDefaultOrigin = "default";

// "key = value  (origin)" for each key, for --show-config.
struct Described {
  std::string key;
  std::string value;
  std::string origin;  // kDefaultOrigin, the file's path, or the variable's name
};
Result<std::vector<Described>> describe(const Lookup& variable);

// Finds variables that look like hipcache's and are not. Without this check a misspelt variable
// would silently do nothing. Pure functions, except missing_file().

struct UnknownVariable {
  std::string name;
  std::string nearest;  // a variable of hipcache that may be meant; empty: none is near
};

// The variables of the environment (NAME=value) that begin with HIPCACHE_ and are unknown. Scripts
// have variables of their own with that prefix, so only those with a near name are mistakes.
std::vector<UnknownVariable> unknown_variables(const std::vector<std::string>& environment);

// The file that HIPCACHE_CONFIG names, if it does not exist.
std::optional<std::string> missing_file(const Lookup& variable);

}  // namespace hipcache::config

#endif
