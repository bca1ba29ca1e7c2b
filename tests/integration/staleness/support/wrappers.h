// The fixture of the tests of wrappers: programs that start the compiler in one way or another.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_WRAPPERS_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_WRAPPERS_H

#include <string>
#include <vector>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {

class Wrappers : public Staleness {
 protected:
  Wrappers() { project_.link("rocm/bin/clang++", driver()); }

  std::string driver() const { return "/usr/bin/" + GetParam().program(); }

  std::string write_script(const std::string& text, const std::string& name = "bin/clang++") const;

  // Builds a C program beside the link to the driver. It executes the program with the same name less "amd".
  std::string build(const std::string& before_that = "", const Arguments& flags = {}) const;

  Arguments by(const std::string& wrapper, const std::vector<std::string>& gpus = {"gfx906", "gfx1030"}) const;

  // "NAME=value ...": the variables that lead to the test's cache, for a wrapper that clears the environment.
  std::string cache_variables() const;

  // Cold, warm, and with one more architecture.
  void expect_by_architecture(const std::string& wrapper);
  // One step. Its result is found again, unless `is_stored` is false: some wrappers do what no cache can repeat.
  void expect_kept_opaque(const std::string& wrapper, bool is_stored = true);
};

}  // namespace hipcache::integration

#endif
