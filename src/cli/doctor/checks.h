// The checks of hipcache --doctor: what they know, what they find, and what they judge by.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECKS_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECKS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/doctor/trial/trial.h"
#include "hipcache/base/result.h"
#include "hipcache/config/execute_url.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/remote_messages.h"
#include "hipcache/stats/counters.h"
#include "hipcache/trace/record.h"

namespace hipcache::cli {

// note: the user may not know it. warning: something does not work as wished. error: something does
// not work at all.
enum class Level { ok, note, warning, error };

struct Finding {
  Level level = Level::ok;
  std::string text;  // what is, and for a warning or an error the remedy
};

class Findings {
 public:
  void ok(std::string text) { add(Level::ok, std::move(text)); }
  void note(std::string text) { add(Level::note, std::move(text)); }
  void warning(std::string text) { add(Level::warning, std::move(text)); }
  void error(std::string text) { add(Level::error, std::move(text)); }
  void add(Level level, std::string text);  // line breaks become blanks

  const std::vector<Finding>& all() const { return all_; }
  bool has_error() const;
  // The findings of one level, for tests and for summaries.
  std::size_t count(Level level) const;

 private:
  std::vector<Finding> all_;
};

// "warning  text": the level is the line's first word.
std::string to_line(const Finding& finding);

struct Examination {
  explicit Examination(Words variables)
      : environment(std::move(variables)), variable(config::lookup_in(environment)), settings(config::load(variable)) {}

  const Words environment;  // NAME=value
  const config::Lookup variable;
  const Result<config::Settings> settings;
  Words compiler;                             // the words after "--"; empty: those of PATH
  std::optional<std::string> hipcache;        // the launcher beside this program; checks use it as a user would
  bool has_directory = false;                 // the cache directory can be used
  std::uint64_t store_bytes = 0;              // on disk, if the daemon says so
  std::string trace_library;                  // the daemon's; empty if it is of no use
  std::optional<std::string> remote_program;  // the daemon's, if it starts
  Words hip_compiler;                         // the first that compiles HIP, by its path, and its options
  Findings findings;
};

// Whether the settings are valid, known, and do what the user expects.
void check_settings(Examination& examination);

// Whether the cache directory can be used, and whether its disk suits it. Makes the directory if it is missing. Sets
// `has_directory`.
void check_directory(Examination& examination);

// "nfs" for a file system of that number in statfs; "" for a local one.
std::string network_file_system(std::int64_t type);

// REQUIRES: check_daemon has run, for `store_bytes`.
void check_space(Examination& examination);

// A disk, as far as the limit of the store matters.
struct Disk {
  std::uint64_t size = 0;
  std::uint64_t free = 0;  // for this user
};

// What a store of `store_bytes` with that limit finds there.
Finding judge_space(const Disk& disk, std::uint64_t limit, std::uint64_t store_bytes);

// What of the machine makes compiles through hipcache faster or slower.
void check_machine(Examination& examination);

// "madvise" in "always [madvise] never", the contents of transparent_hugepage/enabled.
std::string chosen_in(const std::string& choices);

// Whether the user's compilers are what they seem, and whether their compiles become hits. Compiles with the compiler
// that was given, else with each that is found (find_compilers.h). Asks the shared caches by these compiles. Sets
// `hip_compiler`. REQUIRES: check_programs has run.
void check_compilers(Examination& examination);

// What the statistics say about one shared cache.
Finding finding_on(const stats::Tier& tier);

// Whether the engine of remote execution that is set answers, takes actions, and has workers with this machine's
// toolchain. REQUIRES: check_programs and check_compilers have run.
void check_engine(Examination& examination);

// The programs of the device's jobs, in what `clang -###` prints.
Words device_programs_in(const std::string& jobs);

// The action that runs these programs.
protocol::RemoteExecute small_action(const Words& programs, const std::string& trace_library,
                                     const std::string& output_directory);

// What the engine says that it can do.
Finding finding_on(const protocol::RemoteEngineAnswer& answer, const config::ExecuteUrl& url);

// What came of the action; `traced`: its trace.
std::vector<Finding> findings_on(const protocol::RemoteExecuted& executed, const Words& programs,
                                 const std::vector<trace::Record>& traced, const config::ExecuteUrl& url);

}  // namespace hipcache::cli

#endif
