// The oracle: hipcache must leave, byte for byte, what the real compiler leaves with the same -cuid=. This covers
// object, depfile, messages and exit code, and there must be no other file. A compile by the compiler alone is
// remembered (compiler_memory.h).
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_ORACLE_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_ORACLE_H

#include <string>
#include <vector>

#include "integration/support/cache.h"
#include "integration/support/compiler_memory.h"
#include "integration/support/tree.h"

namespace hipcache::integration {

// The results of compiles through hipcache, compared with the compiler alone.
struct Comparison {
  Counts counted;                        // for the runs through hipcache
  std::vector<int> exit_codes;           // of the runs through hipcache, one for each request
  std::vector<Ended> cached, alone;      // how the runs ended: through hipcache, and without
  std::vector<std::string> differences;  // one line each; empty: equal
  Files before, by_cache, by_compiler;   // the directory, and what hipcache and the compiler changed in it
};

class Oracle {
 public:
  // `directory`: the watched tree; commands run in it or below.
  Oracle(const Cache& cache, std::string directory)
      : cache_(cache), directory_(std::move(directory)), memory_(directory_) {}

  // Runs the requests through hipcache, all at once. Then runs each alone with the CUID that hipcache used, from the
  // same state of the directory. Either order of two requests may write last. The outputs stay. For callers that report
  // differences themselves; tests use check().
  Comparison compare(const std::vector<Request>& at_once);

  // The same for one command in the watched directory; expects no difference. Returns what was counted for the run
  // through hipcache.
  Counts check(const Arguments& command, const Variables& variables = {});

  // The same for a command in a directory below, or with variables.
  Counts check(const Request& request);

  // The same for a command that compiles and that the cache takes.
  Counts check_cached(const Arguments& command, const Variables& variables = {});

  // Repeats the last check's command from the same state, if nothing has changed since. Compares it with what the
  // compiler left then.
  Counts check_again();

  // How the compiler alone ended in the last check.
  const Ended& alone() const { return last_.alone; }
  int exit_code() const { return last_.alone.exit_code; }

 private:
  struct Checked {
    Request request;
    Files before, after;
    Ended alone;
  };

  Request with_cuid(const Request& request) const;
  // A single request may be remembered; several may write to the same places.
  std::vector<Ended> run_alone(const std::vector<Request>& one_by_one, const Files& start);

  const Cache& cache_;
  std::string directory_;
  CompilerMemory memory_;
  Checked last_;
};

}  // namespace hipcache::integration

#endif
