// Tests cases of a table: each run through hipcache and by the compiler alone, in a directory of the case's own. All
// cases share a daemon, each in a namespace of its own.
#ifndef HIPCACHE_TESTS_INTEGRATION_COMMANDS_CASE_CHECK_H
#define HIPCACHE_TESTS_INTEGRATION_COMMANDS_CASE_CHECK_H

#include "integration/commands/table.h"
#include "integration/support/cache.h"

namespace hipcache::integration {

class CaseCheck {
 public:
  explicit CaseCheck(Driver driver) : driver_(driver) {}

  // `files`: those of the table, which the case's own may replace.
  void check(const Case& one, const Texts& files);

 private:
  Cache cache_;
  Driver driver_;
  int checked_ = 0;
};

}  // namespace hipcache::integration

#endif
