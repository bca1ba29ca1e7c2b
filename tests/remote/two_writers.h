// Two machines that write to the same lists at the same moments, for tests of every backend.
//
// A write may displace the other's path set where the server compares nothing. Then the machine misses, and writes its
// set again. What is still missing after that is lost for good.
#ifndef HIPCACHE_TESTS_REMOTE_TWO_WRITERS_H
#define HIPCACHE_TESTS_REMOTE_TWO_WRITERS_H

#include <functional>
#include <memory>
#include <ostream>

#include "remote/layout/backend.h"

namespace hipcache::remote {

struct TwoWriters {
  int lists = 0;
  int failed = 0;     // writes
  int displaced = 0;  // path sets that were missing after both had written
  int lost = 0;       // for good
};

std::ostream& operator<<(std::ostream& out, const TwoWriters& counted);

// `open` makes a backend with connections of its own, as each machine has. They write to as many lists as the variable
// HIPCACHE_TEST_LISTS says, otherwise to 20. Prints what it counted.
TwoWriters let_two_write_at_once(const std::function<std::unique_ptr<Backend>()>& open);

}  // namespace hipcache::remote

#endif
