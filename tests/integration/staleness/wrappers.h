// What the tests of wrappers begin with: programs that start the compiler in one way or another.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_WRAPPERS_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_WRAPPERS_H

#include <string>
#include <vector>

#include "integration/staleness/toolchain.h"

namespace hipcache::integration {

class Wrappers : public Staleness {
 protected:
  Wrappers() { project_.link("rocm/bin/clang++", driver()); }

  std::string driver() const { return "/usr/bin/" + GetParam().program(); }

  std::string write_script(const std::string& text, const std::string& name = "bin/clang++") const;

  // A program of C beside the link to the driver, which executes what is called as itself less "amd".
  std::string build(const std::string& before_that = "", const Arguments& flags = {}) const;

  Arguments by(const std::string& wrapper, const std::vector<std::string>& gpus = {"gfx906", "gfx1030"}) const;

  // Cold, warm, and with an architecture more.
  void expect_by_architecture(const std::string& wrapper);
  // One step, whose result is found again or, where a wrapper does what no cache repeats, is not.
  void expect_kept_whole(const std::string& wrapper, bool is_stored = true);
};

}  // namespace hipcache::integration

#endif
