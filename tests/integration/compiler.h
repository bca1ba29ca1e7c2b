// The compilers that every integration test runs with, and small HIP sources for them.
#ifndef HIPCACHE_TESTS_INTEGRATION_COMPILER_H
#define HIPCACHE_TESTS_INTEGRATION_COMPILER_H

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "integration/program.h"
#include "support/scratch.h"

namespace hipcache::integration {

struct Compiler {
  std::string version;  // "15", "19"

  std::string program() const { return "clang++-" + version; }
  std::string tools() const { return "/usr/lib/llvm-" + version + "/bin"; }

  // A HIP compile up to the archs: language, ROCm, and lld of the same version (15 takes it from PATH).
  Arguments hip() const;
};

// Makes a HIP_CLANG_PATH below the directory and returns it. Debian's hipcc runs the clang++-15 in there, and takes the
// compiler's headers from beside it.
std::string write_toolchain_for_hipcc(const support::Scratch& directory, const Compiler& compiler);

// The command with an id of the translation unit, as hipcache gives it: these compilers' new driver ignores -cuid=.
Arguments with_id(Arguments command, const std::string& cuid);

// How test programs show it.
inline void PrintTo(const Compiler& compiler, std::ostream* out) { *out << compiler.program(); }

inline const std::vector<Compiler> kCompilers{{"15"}, {"19"}};

std::string name_of(const testing::TestParamInfo<Compiler>& info);

// --offload-arch= for each.
Arguments archs(const std::vector<std::string>& names);

// "runtime.h": what a kernel and its launch need, and quick to compile.
std::string write_runtime(const support::Scratch& scratch, const std::string& directory = ".");

// A source with one kernel and its launch, over a header of its own ("runtime.h") that is quick to compile.
// Writes both below the scratch directory and returns the source's path.
std::string write_kernel(const support::Scratch& scratch, const std::string& name, const std::string& extra = "");

// The same with kernels whose device compiles take long enough to be interrupted.
std::string write_slow_kernel(const support::Scratch& scratch, const std::string& name);

}  // namespace hipcache::integration

#endif
