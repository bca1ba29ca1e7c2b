// What hipcache --doctor found, one line each.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_FINDINGS_H
#define HIPCACHE_SRC_CLI_DOCTOR_FINDINGS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/doctor/trial/trial.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

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

// What the checks of hipcache --doctor know and what they found.

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

}  // namespace hipcache::cli

#endif
