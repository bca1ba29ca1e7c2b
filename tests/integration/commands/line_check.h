// Tests one row of the table: cold through hipcache, by the compiler alone, and again through hipcache, always from the
// same state of the directory.
#ifndef HIPCACHE_TESTS_INTEGRATION_COMMANDS_LINE_CHECK_H
#define HIPCACHE_TESTS_INTEGRATION_COMMANDS_LINE_CHECK_H

#include <string>

#include "integration/commands/table.h"
#include "integration/support/cache.h"
#include "integration/support/tree.h"

namespace hipcache::integration {

class LineCheck {
 public:
  // `directory` holds the table's files and nothing else, before and after.
  LineCheck(const Cache& cache, std::string directory, Driver driver)
      : cache_(cache), directory_(std::move(directory)), driver_(driver), pristine_(files_in(directory_)) {}

  void check(const Line& line);

 private:
  // The results of one command.
  struct Outcome {
    Ended ended;
    Files left;
    Counts counted;
  };

  Outcome through_hipcache(const Arguments& command, const Variables& variables) const;
  Outcome alone(const Arguments& command, const Line& line) const;
  void prepare(const Line& line);
  void expect_same(const Outcome& cached, const Outcome& alone, const Line& line, bool same_run) const;
  void expect_hits(const Arguments& command, const Outcome& cold, const Outcome& alone, const Line& line);
  void expect_afterwards(const Afterwards& then, const Line& line);
  void back_to(const Files& state) const { restore(directory_, state, files_in(directory_)); }

  const Cache& cache_;
  std::string directory_;
  Driver driver_;
  Files pristine_;
  Files start_;  // at the start of the line
};

}  // namespace hipcache::integration

#endif
