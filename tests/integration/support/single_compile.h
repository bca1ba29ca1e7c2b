// A project with one HIP source and its compile: the fixture of most integration tests.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_SINGLE_COMPILE_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_SINGLE_COMPILE_H

#include <gtest/gtest.h>

#include <string>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {

class SingleCompile : public testing::TestWithParam<Compiler> {
 protected:
  explicit SingleCompile(const Variables& settings = {}) : cache_(settings) { write_kernel(project_, "a.hip"); }

  Arguments command(const std::string& flags = "-O1", const std::string& object = "a.o") const {
    return GetParam().hip() + archs({"gfx906", "gfx1030"}) + words(flags) + Arguments{"-c", "a.hip", "-o", object};
  }

  // Compiles through the cache, checked against the compiler.
  Counts check(const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = oracle_.check(argv, variables);
    EXPECT_EQ(oracle_.exit_code(), 0);
    return counted;
  }

  // The command is an opaque compile: it runs as one step, and is a hit the next time.
  void expect_opaque(const Arguments& argv, const Variables& variables = {});

  // The object that the compiler alone makes, with the CUID that hipcache gives the command.
  std::string expected_object(const Arguments& argv) const;

  // A source whose device compiles take long enough to be interrupted.
  void write_slow_source() const;

  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_.path()};
};

}  // namespace hipcache::integration

#endif
