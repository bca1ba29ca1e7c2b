// A test's own cache: its directory, its daemon (which ends with the test) and its statistics.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_CACHE_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_CACHE_H

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "hipcache/base/files.h"
#include "integration/support/program.h"
#include "support/scratch.h"

namespace hipcache::integration {

// The built programs.
std::string hipcache_program();
std::string hipcached_program();
std::string hipcache_trace_library();

// How many steps ran or were found, and what happened to the requests. The difference of two counts what happened
// between them.
struct Counts {
  std::map<std::string, std::int64_t> run;  // "device", "device gfx906", "host", "bundle", "probe"
  std::map<std::string, std::int64_t> hit;
  std::int64_t hits = 0, partials = 0, misses = 0, passed = 0, aborted = 0, failed = 0, errors = 0, waited = 0;
  std::map<std::string, std::int64_t> reasons;     // of requests passed through
  std::map<std::string, std::int64_t> not_stored;  // of steps that were not recorded
  nlohmann::json json;

  Counts operator-(const Counts& before) const;
};

// From the output of --show-stats --format json.
Counts counts_of(const nlohmann::json& json);

// Audits nothing, unless a test says so: counts of steps must not depend on chance.
class Cache {
 public:
  Cache() = default;
  explicit Cache(Variables settings) : settings_(std::move(settings)) {}
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  // Runs the command through hipcache, or hipcache with options of its own.
  Ended run(const Arguments& argv, const std::string& directory, const Variables& variables = {}) const;
  Started start(const Arguments& argv, const std::string& directory, const Variables& variables = {}) const;
  Ended control(const std::string& option) const;

  Counts counts() const;
  nlohmann::json plan(const Arguments& command, const std::string& directory, const Variables& variables = {}) const;

  // From now on nothing that was stored under another name is found.
  void use_namespace(const std::string& name) { settings_["HIPCACHE_NAMESPACE"] = name; }

  std::string directory() const { return scratch_ / "cache"; }
  // The directory of this user's and view's daemon: its socket, its locks, its temporary files.
  std::string daemon_directory() const;
  pid_t daemon() const;  // 0: none
  // A descriptor that becomes readable when the present daemon ends.
  UniqueFd watch_daemon() const;
  // Signals the daemon, and waits until its process has ended and its socket and lock are free.
  void end_daemon(int signal) const;
  Variables variables(const Variables& more = {}) const;

  // The number of requests' temporary directories that exist.
  std::size_t leftovers() const;
  // Whether they disappear in time. A request's directory exists until its result is stored, some time after the
  // answer.
  bool leaves_nothing() const;

 private:
  support::Scratch scratch_;
  Variables settings_;
};

}  // namespace hipcache::integration

#endif
