// A directory with opaque compiles, by any compiler: the fixture of their tests.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_OPAQUE_COMPILE_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_OPAQUE_COMPILE_H

#include <string>

#include "integration/support/oracle.h"

namespace hipcache::integration {

class OpaqueCompile {
 protected:
  // Compiles through the cache, checked against the compiler.
  Counts check(const Arguments& argv, const Variables& variables = {}) { return oracle_.check(argv, variables); }

  void expect_run(const Arguments& argv, const Variables& variables = {});
  void expect_hit(const Arguments& argv, const Variables& variables = {});
  void expect_passed(const std::string& reason, const Arguments& argv);

  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_.path()};
};

}  // namespace hipcache::integration

#endif
