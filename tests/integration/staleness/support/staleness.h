// The staleness matrix. For each kind of input: it changes, and exactly the steps that depend on it must run. For each
// kind of change that does not matter: there must be a hit. The oracle checks every compile.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_STALENESS_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_STALENESS_H

#include <cstdint>
#include <ostream>
#include <string>

#include "integration/support/single_compile.h"

namespace hipcache::integration {

// How many of a compile's steps ran; 0 unless named.
struct Steps {
  std::int64_t device = 0, bundle = 0, host = 0, probe = 0;
  std::string arch;  // of the device step, if only one ran

  bool operator==(const Steps&) const = default;
};

void PrintTo(const Steps& steps, std::ostream* out);

// Waits until the file's digest can be remembered: its last change must be so old that every later one will show.
void await_settled(const std::string& path);

class Staleness : public SingleCompile {
 protected:
  using SingleCompile::SingleCompile;

  bool clang15() const { return GetParam().version == "15"; }

  // Compiles, and once more for a hit. From then on, a compile without changes must hit.
  void warm(const Arguments& argv, const Variables& variables = {});

  void expect_hit(const Arguments& argv, const Variables& variables = {});
  void expect_runs(const Steps& steps, const Arguments& argv, const Variables& variables = {});

  // The command is a bypass for that reason, every time.
  void expect_passed(const std::string& reason, const Arguments& argv, const Variables& variables = {});

  // Writes other text to a file, and keeps its size and modification time.
  void rewrite_unnoticed(const std::string& name, const std::string& text) const;

  // A copy of the device bitcode libraries for HIP that a test may change, and the command that uses it.
  std::string copy_bitcode(const std::string& name) const;
  Arguments with_bitcode(const std::string& directory, const std::string& flags = "-O1") const;

  // The command without all arguments that start with `start`.
  static Arguments without(Arguments argv, const std::string& start);
};

}  // namespace hipcache::integration

#endif
