// What users can set: a TOML file, and for each of its keys an environment variable that wins over it.
//
// The variables that belong to one request (DISABLE, RECACHE, READONLY, BASEDIR, NAMESPACE, COMPILERS, CUID) are read
// from the client's environment, the others count as the daemon started with them. docs/configuration.md lists all. A
// bad file or value is an error of one line that names the file, the key, what it is and what it should be.
#ifndef HIPCACHE_CONFIG_SETTINGS_H
#define HIPCACHE_CONFIG_SETTINGS_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::config {

struct Settings {
  std::string directory;                      // HIPCACHE_DIR; variable only. Absolute
  std::string file;                           // HIPCACHE_CONFIG; variable only. Absolute, or empty; need not exist
  std::string user_home;                      // HOME, where `directory` is the default below it; else empty
  std::uint64_t max_size = 20'000'000'000;    // bytes; "20G", "500M", "1.5GiB", "0" = no limit
  std::vector<std::string> base_directories;  // HIPCACHE_BASEDIR; absolute
  std::vector<std::string> remote;            // HIPCACHE_REMOTE; URLs
  std::vector<std::string> seeds;             // HIPCACHE_SEED; cache directories that are only read. Absolute
  unsigned umask = 077;                       // HIPCACHE_UMASK; octal. Others never may write
  bool readonly = false;
  bool recache = false;
  bool disable = false;
  std::string name_space;                  // HIPCACHE_NAMESPACE
  unsigned jobs = 0;                       // HIPCACHE_JOBS; 0 = the processors this process may use
  std::chrono::seconds idle_timeout{600};  // "600", "10m", "0" = never
  unsigned audit = 500;                    // HIPCACHE_AUDIT; one of so many back ends is compared; 0 = none
  std::string log;                         // a path or "stderr"; empty = none
  std::vector<std::string> compilers;      // HIPCACHE_COMPILERS; further ones: "NAME", "NAME=gcc" or "NAME=clang"
  std::string cuid;  // HIPCACHE_CUID: "auto" (default, empty) or "keep" (leave the compiler's own)
};

// The value of a variable, or nothing.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
Lookup lookup_in(const std::vector<std::string>& environment);  // copies
Lookup lookup_in_process();

// Only HIPCACHE_DIR and HIPCACHE_CONFIG with their defaults: what a client needs on a hit, with no file read.
Result<Settings> locate(const Lookup& variable);

// Whether HIPCACHE_DISABLE is set to anything but a false value: a value that is no boolean was meant to change
// something, and not caching is never wrong. Reads no file.
bool is_disabled(const Lookup& variable);

// An error if the directory would have to be made in a home directory that does not exist: services have such a HOME,
// and it is not ours to make.
Status check_home(const Settings& settings);

// All of it. The file is not required to exist; if it exists it must be readable and right.
Result<Settings> load(const Lookup& variable);

// "key = value  (origin)" for each key, for --show-config.
struct Described {
  std::string key;
  std::string value;
  std::string origin;  // "default", the file's path, or the variable's name
};
Result<std::vector<Described>> describe(const Lookup& variable);

}  // namespace hipcache::config

#endif
