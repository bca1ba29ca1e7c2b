// The yardstick of correctness: what hipcache leaves behind equals, byte for byte, what the real compiler leaves behind
// when it is run with the same -cuid=: object, depfile, messages, exit code, and no other file.
#ifndef HIPCACHE_TESTS_INTEGRATION_ORACLE_H
#define HIPCACHE_TESTS_INTEGRATION_ORACLE_H

#include <string>
#include <vector>

#include "integration/cache.h"
#include "integration/tree.h"

namespace hipcache::integration {

// A compile as it is asked for.
struct Request {
  Arguments command;
  std::string directory;  // that it runs in
  Variables variables = {};
};

// What came of compiles through hipcache, held against the compiler alone.
struct Comparison {
  Counts counted;                        // of the runs through hipcache
  std::vector<int> exit_codes;           // theirs, one for each request
  std::vector<Ended> cached, alone;      // how the runs ended: through hipcache, and the compiler's own
  std::vector<std::string> differences;  // a line each; none: equal
  Files before, by_cache, by_compiler;   // the directory, and what hipcache and the compiler changed there
};

class Oracle {
 public:
  // `directory`: the tree that is watched; commands run in there, or below.
  Oracle(const Cache& cache, std::string directory) : cache_(cache), directory_(std::move(directory)) {}

  // Runs the requests through hipcache, all at once, then each alone with the CUID that hipcache used, from the same
  // state of the directory. Which of two requests writes last is nobody's promise, so either order of them is good. The
  // outputs stay. For those who report by themselves; tests have check().
  Comparison compare(const std::vector<Request>& at_once) const;

  // The same for one command in the watched directory; expects equal traces. Returns what was counted for the run
  // through hipcache.
  Counts check(const Arguments& command, const Variables& variables = {});

  // The last check's command once more and from the same state, where nothing has changed since: held against what the
  // compiler left then.
  Counts check_again();

  // The exit code of the last check.
  int exit_code() const { return last_.alone.exit_code; }

 private:
  struct Checked {
    Request request;
    Files before, after;
    Ended alone;
  };

  Request with_cuid(const Request& request) const;
  std::vector<Ended> run_alone(const std::vector<Request>& one_by_one) const;

  const Cache& cache_;
  std::string directory_;
  Checked last_;
};

}  // namespace hipcache::integration

#endif
