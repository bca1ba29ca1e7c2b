// The compilers that integration tests run with, and small HIP sources for them.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILER_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILER_H

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "integration/support/program.h"
#include "support/scratch.h"

namespace hipcache::integration {

struct Compiler {
  std::string version;  // "15", "19"

  std::string program() const { return "clang++-" + version; }
  std::string tools() const { return "/usr/lib/llvm-" + version + "/bin"; }

  // A HIP compile without architectures: language, ROCm, and the lld of the same version (clang 15 takes it from PATH).
  // It includes clang's wrapper header, which takes long, only if the variable WRAPPER_HEADER is set; Cache then has
  // all compiles use it precompiled.
  Arguments hip() const;
};

// Makes a HIP_CLANG_PATH below the directory and returns it. Debian's hipcc runs its clang++-15, and takes the
// compiler's headers from beside that.
std::string write_toolchain_for_hipcc(const support::Scratch& directory, const Compiler& compiler);

// Adds an id of the translation unit as hipcache does: these compilers' new driver ignores -cuid=.
Arguments with_id(Arguments command, const std::string& cuid);

// How googletest prints a compiler.
inline void PrintTo(const Compiler& compiler, std::ostream* out) { *out << compiler.program(); }

// For what a compiler reads, plans, writes or prints.
inline const std::vector<Compiler> kCompilers{{"15"}, {"19"}};
// For what no compiler decides: the daemon, its store and reports, clients, wrappers, the state of files.
inline const std::vector<Compiler> kOneCompiler{kCompilers.back()};

std::string name_of(const testing::TestParamInfo<Compiler>& info);

// --offload-arch= for each name.
Arguments archs(const std::vector<std::string>& names);

// Writes "runtime.h": what a kernel and its launch need, quick to compile.
std::string write_runtime(const support::Scratch& scratch, const std::string& directory = ".");

// A source with one kernel and its launch, which includes "runtime.h".
std::string kernel_source();

// Writes a source with one kernel and its launch, and the "runtime.h" that it includes. Returns the source's path.
std::string write_kernel(const support::Scratch& scratch, const std::string& name, const std::string& extra = "");

// The same, with kernels whose device compiles take long enough to be interrupted.
std::string write_slow_kernel(const support::Scratch& scratch, const std::string& name);

}  // namespace hipcache::integration

#endif
