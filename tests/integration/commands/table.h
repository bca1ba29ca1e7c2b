// The tables of command lines (fixtures/commands) and of cases (fixtures/cases), with what is expected of each. The
// README of each folder has its format.
#ifndef HIPCACHE_TESTS_INTEGRATION_COMMANDS_TABLE_H
#define HIPCACHE_TESTS_INTEGRATION_COMMANDS_TABLE_H

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "integration/support/program.h"

namespace hipcache::integration {

using Texts = std::map<std::string, std::string>;  // by the file's name

// Another command after the first, with the same cache.
struct Afterwards {
  std::string run;                // empty: the first command again
  Texts edit;                     // files written before it
  std::set<std::string> runs;     // the steps that must run: an arch for its device step, "bundle", "host"
  std::set<std::string> may_run;  // steps that the first command ran or not, depending on which step failed first
};

// One row of the table, for one compiler.
struct Line {
  std::string run;
  std::string cached;      // "planned", "opaque", "link", or
  std::string passes;      // the reason for a bypass, or
  std::string not_stored;  // the reason not to store the result, or
  bool fails = false;      // the compiler reports an error, and nothing is stored
  int exit_code = 0;
  std::set<std::string> leaves;     // the files that are new or changed afterwards
  std::string says;                 // part of what it prints, on either stream
  std::vector<std::string> before;  // commands that make its inputs
  std::string grows;                // a file to which the compiler appends
  std::set<std::string> random;     // what the compiler makes differently each time: files, "standard output"
  Variables variables;
  std::vector<Afterwards> then;
};

using Lists = std::map<std::string, std::vector<std::string>>;

// One run of a case, and the changes before it.
struct CaseRun {
  Texts edit;                       // files written
  Texts unnoticed;                  // the same, with size and modification time kept
  std::vector<std::string> before;  // commands
  std::string run;
  std::string in;     // the part of the project that {in} names
  std::string below;  // where below it the command runs
  Variables variables;
  std::optional<std::multiset<std::string>> runs;  // the steps; none: all that it takes, and a second run is a hit
  std::string passes;
  std::set<std::string> not_stored;
  bool fails = false;
  int exit_code = 0;
  std::set<std::string> leaves;
  std::string says;
  Texts holds;                // a part of what is in a file afterwards
  Lists explains;             // by the step, what `hipcache --explain` says of it before the run
  std::optional<Lists> ties;  // what keeps the step's result here afterwards; empty: nothing keeps any
};

// A project that changes between runs.
struct Case {
  std::string name;
  Texts files;
  std::vector<CaseRun> runs;
};

// The driver whose rows are read.
enum class Driver { kClang15, kClang19, kGcc };

// A table's content, for one driver.
struct Table {
  Texts files;
  std::vector<Line> lines;
  std::vector<Case> cases;
};

// The names of the tables of a folder below fixtures ("commands", "cases"), without ending, in order.
std::vector<std::string> table_names(const std::string& folder);
Result<Table> read_table(const std::string& folder, const std::string& name, Driver driver);

}  // namespace hipcache::integration

#endif
