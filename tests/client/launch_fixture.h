// The real hipcache program in a place of its own, a compiler that counts its runs, and room for a fake daemon.
#ifndef HIPCACHE_TESTS_CLIENT_LAUNCH_FIXTURE_H
#define HIPCACHE_TESTS_CLIENT_LAUNCH_FIXTURE_H

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/scratch.h"

namespace hipcache::client {

struct Ended {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class LaunchTest : public testing::Test {
 protected:
  // An installed tree of "bin/hipcache" and its full client, and "bin/cc": appends to "runs", prints, writes its second
  // argument and exits with 5.
  LaunchTest();

  std::string cache() const { return scratch / "cache"; }
  std::string hipcache() const { return scratch / "bin/hipcache"; }
  std::string full_client() const { return scratch / helper("hipcache-client"); }
  std::string compiler() const { return scratch / "bin/cc"; }
  std::string object() const { return scratch / "a.o"; }

  // Where the installed tree has a helper, below the scratch directory.
  static std::string helper(const std::string& name);

  std::string script(const std::string& name, const std::string& body) const;

  // Runs the words with PATH="bin" before the system's and more variables.
  Ended run(const std::vector<std::string>& argv, const std::vector<std::string>& variables = {}) const;

  // hipcache cc -o a.o
  Ended compile(const std::vector<std::string>& variables = {}) const;

  int compiler_runs() const;

  // What is to be seen when the compiler itself did the work, once.
  void expect_compiled_by_the_compiler(const Ended& ended) const;

  support::Scratch scratch;
};

}  // namespace hipcache::client

#endif
