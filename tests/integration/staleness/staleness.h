// The staleness matrix: for every kind of thing that a compile depends on, it is changed, and a recompile of just the
// steps that depend on it is demanded; what a compile does not depend on is changed, and a hit is demanded. Every
// compile is held against the oracle.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_STALENESS_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_STALENESS_H

#include <cstdint>
#include <ostream>
#include <string>

#include "integration/single_compile.h"

namespace hipcache::integration {

// The steps of a compile that ran. What is not named did not run.
struct Steps {
  std::int64_t device = 0, bundle = 0, host = 0, probe = 0;
  std::string arch;  // of the device step, if one alone ran

  bool operator==(const Steps&) const = default;
};

void PrintTo(const Steps& steps, std::ostream* out);

// Waits until the digest of the file can be remembered: its last change must be old enough to show every later one.
void await_settled(const std::string& path);

class Staleness : public SingleCompile {
 protected:
  using SingleCompile::SingleCompile;

  bool clang15() const { return GetParam().version == "15"; }

  // Compiles what has not been compiled yet, and once more for a hit: from here on, what is not changed is hit.
  void warm(const Arguments& argv, const Variables& variables = {});

  void expect_hit(const Arguments& argv, const Variables& variables = {});
  void expect_runs(const Steps& steps, const Arguments& argv, const Variables& variables = {});

  // The command passes through for that reason, however often.
  void expect_passed(const std::string& reason, const Arguments& argv, const Variables& variables = {});

  // Other text in a file whose size and modification time stay as they are.
  void rewrite_unnoticed(const std::string& name, const std::string& text) const;

  // A copy of the device bitcode libraries for HIP that a test may change, and the command that uses it.
  std::string copy_bitcode(const std::string& name) const;
  Arguments with_bitcode(const std::string& directory, const std::string& flags = "-O1") const;

  // The command with every argument left out that starts so.
  static Arguments without(Arguments argv, const std::string& start);
};

}  // namespace hipcache::integration

#endif
