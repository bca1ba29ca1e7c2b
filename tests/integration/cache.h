// A cache of a test's own: its directory, its daemon (ended with the test), its statistics.
#ifndef HIPCACHE_TESTS_INTEGRATION_CACHE_H
#define HIPCACHE_TESTS_INTEGRATION_CACHE_H

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "hipcache/base/files.h"
#include "integration/program.h"
#include "support/scratch.h"

namespace hipcache::integration {

// Where the build put the programs.
std::string hipcache_program();
std::string hipcached_program();
std::string hipcache_trace_library();

// How many steps ran and how many were found, and what became of the requests; differences of two count what lies
// between.
struct Counts {
  std::map<std::string, std::int64_t> run;  // "device", "device gfx906", "host", "bundle", "probe"
  std::map<std::string, std::int64_t> hit;
  std::int64_t hits = 0, partials = 0, misses = 0, passed = 0, aborted = 0, failed = 0, errors = 0, waited = 0;
  std::map<std::string, std::int64_t> reasons;     // of requests passed through
  std::map<std::string, std::int64_t> not_stored;  // of steps that were not recorded
  nlohmann::json json;

  Counts operator-(const Counts& before) const;
};

// Of what --show-stats --format json prints.
Counts counts_of(const nlohmann::json& json);

class Cache {
 public:
  Cache() = default;
  explicit Cache(Variables settings) : settings_(std::move(settings)) {}
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  // hipcache before the command, or with options of its own.
  Ended run(const Arguments& argv, const std::string& directory, const Variables& variables = {}) const;
  Started start(const Arguments& argv, const std::string& directory, const Variables& variables = {}) const;
  Ended control(const std::string& option) const;

  Counts counts() const;
  nlohmann::json plan(const Arguments& command, const std::string& directory, const Variables& variables = {}) const;

  std::string directory() const { return scratch_ / "cache"; }
  // Of the daemon of this process's user and view: its socket, its locks, its temporary files.
  std::string daemon_directory() const;
  pid_t daemon() const;  // 0: none
  // A descriptor that becomes readable when the daemon that runs now has ended.
  UniqueFd watch_daemon() const;
  // Signals the daemon, and waits until its process is gone with all that it held: its socket, its lock.
  void end_daemon(int signal) const;
  Variables variables(const Variables& more = {}) const;

  // Requests' temporary directories that are still there.
  std::size_t leftovers() const;
  // Whether they go: a request's is there until its result is written down, some time after the client has its answer.
  bool leaves_nothing() const;

 private:
  support::Scratch scratch_;
  Variables settings_;
};

}  // namespace hipcache::integration

#endif
