// The yardstick of correctness: what hipcache leaves behind equals, byte for byte, what the real compiler leaves behind
// when it is run with the same -cuid=: object, depfile, messages, exit code, and no other file.
#ifndef HIPCACHE_TESTS_INTEGRATION_ORACLE_H
#define HIPCACHE_TESTS_INTEGRATION_ORACLE_H

#include <map>
#include <string>

#include "integration/cache.h"

namespace hipcache::integration {

// What a compile left in a directory (names relative to it, with mode and bytes) and printed.
struct Traces {
  Ended ended;
  std::map<std::string, std::string> files;
};

class Oracle {
 public:
  Oracle(const Cache& cache, std::string directory) : cache_(cache), directory_(std::move(directory)) {}

  // Runs the command through hipcache, then alone with the CUID that hipcache used, each from the same state of the
  // directory, and expects equal traces. Returns what was counted for the run through hipcache. The outputs stay.
  Counts check(const Arguments& command, const Variables& variables = {});

  // The exit code of the last check.
  int exit_code() const { return exit_code_; }

 private:
  std::string cuid_of(const Arguments& command, const Variables& variables) const;

  const Cache& cache_;
  std::string directory_;
  int exit_code_ = -1;
};

}  // namespace hipcache::integration

#endif
