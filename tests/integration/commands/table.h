// The table of command lines, fixtures/commands/*.toml: what each is expected to come to. Its README says what may be
// written in there.
#ifndef HIPCACHE_TESTS_INTEGRATION_COMMANDS_TABLE_H
#define HIPCACHE_TESTS_INTEGRATION_COMMANDS_TABLE_H

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "integration/program.h"

namespace hipcache::integration {

using Texts = std::map<std::string, std::string>;  // by the file's name

// Another command after the first, with what that one left to the cache.
struct Afterwards {
  std::string run;                // empty: the first command again
  Texts edit;                     // files written before
  std::set<std::string> runs;     // the steps that it has to run: "device gfx906", "bundle", "host"
  std::set<std::string> may_run;  // those that the first command made or not, by which of its steps failed first
};

// A row of the table, as it is for one compiler.
struct Line {
  std::string run;
  std::string cached;      // "planned", "undivided", "link", or
  std::string passes;      // the reason to pass through, or
  std::string not_stored;  // the reason not to store what was made, or
  bool fails = false;      // the compiler reports an error, and nothing is stored
  int exit_code = 0;
  std::set<std::string> leaves;     // the files that are new or otherwise afterwards
  std::string says;                 // part of what it prints on either stream
  std::vector<std::string> before;  // commands that make what this one reads
  std::string grows;                // a file that the compiler appends to
  std::set<std::string> random;     // what the compiler makes otherwise each time: files, "standard output"
  Variables variables;
  std::vector<Afterwards> then;
};

// Whose rows a table is asked for.
enum class Driver { kClang15, kClang19, kGcc };

// What a table says, for one driver.
struct Table {
  Texts files;
  std::vector<Line> lines;
};

// The names of the tables, without directory and ending, in order.
std::vector<std::string> table_names();
Result<Table> read_table(const std::string& name, Driver driver);

}  // namespace hipcache::integration

#endif
