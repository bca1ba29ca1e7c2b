// What keeps a step's result here, by `hipcache --explain`: before a compile, of a probe, and of hipcc. For the ties of
// steps see fixtures/cases/explain_ties.toml.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support/explained.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ExplainTies : public SingleCompile {
 protected:
  ExplainTies() {
    project_.write("include/size.h", "#pragma once\n#define SIZE 7\n");
    project_.write("b.cpp", "#include <size.h>\nint size = SIZE;\n");
  }

  static Arguments gcc(const std::string& flags = "-Iinclude") {
    return Arguments{"g++"} + words(flags) + words("-c b.cpp -o b.o");
  }

  // With the project as base directory.
  Variables based(Variables more = {}) const {
    more["HIPCACHE_BASEDIR"] = project_.path();
    return more;
  }

  // Compiles, and explains the stored result.
  Explained compile(const Arguments& argv, const Variables& variables = {}) const {
    const Ended built = cache_.run(argv, project_.path(), variables);
    EXPECT_EQ(built.exit_code, 0) << built.err;
    return explain(argv, variables);
  }
  Explained explain(const Arguments& argv, const Variables& variables = {}) const {
    const Ended ended = cache_.run(Arguments{"--explain", "--format", "json", "--"} + argv, project_.path(), variables);
    EXPECT_EQ(ended.err, "");
    return Explained(nlohmann::json::parse(ended.out));
  }
};

TEST_P(ExplainTies, NothingIsSaidBeforeTheFirstCompileAndTheSameWhileItsInputDiffers) {
  EXPECT_THAT(explain(gcc("-I" + (project_ / "include"))).ties(), IsEmpty());
  const Explained stored = compile(gcc("-I" + (project_ / "include")));
  project_.write("include/size.h", "#pragma once\n#define SIZE 8\n");
  const Explained differs = explain(gcc("-I" + (project_ / "include")));
  EXPECT_EQ(differs.verdict("compile"), "would run");
  EXPECT_FALSE(stored.ties().empty());
  EXPECT_EQ(differs.ties(), stored.ties());
}

TEST_P(ExplainTies, AScriptThatMayReadAnyVariableIsNamedForTheProbeAndNoCompile) {
  const std::string clang_path = write_toolchain_for_hipcc(project_, GetParam());
  write_kernel(project_, "a.cpp");
  const Variables variables = based({{"HIP_CLANG_PATH", clang_path}, {"HIP_PLATFORM", "amd"}});
  const Arguments argv = words("hipcc -std=c++17 -nogpuinc -O1 --offload-arch=gfx906 -c a.cpp -o a.o");
  EXPECT_THAT(compile(argv, variables).ties("probe"), Not(Contains(HasSubstr("may read any variable"))));
  // hipcc starts a shell with these words.
  const Explained explained = compile(argv + Arguments{"-DTEXT=$HOME"}, variables);
  EXPECT_THAT(explained.ties("probe"),
              Contains("kept to this machine: hipcc, or what it runs, may read any variable; with the compiler itself "
                       "it travels"));
  EXPECT_THAT(explained.ties("device gfx906"), Not(Contains(HasSubstr("may read any variable"))));
}

// The driver looks for the device libraries in the directory that an option names.
TEST_P(ExplainTies, AListingOfADirectoryThatPackagesShareIsNamed) {
  const Arguments argv = Arguments{GetParam().program()} +
                         words("-x hip -nogpuinc -nogpulib --offload-arch=gfx906 --cuda-device-only -c a.hip -o a.o");
  EXPECT_THAT(explain(argv + Arguments{"--rocm-device-lib-path=/usr/share"}, based()).ties("probe"),
              Contains("kept to this machine: lists the directory /usr/share"));
  // If no option names a ROCm, the driver looks for one in /opt and /usr/lib, and takes few names there.
  EXPECT_THAT(explain(argv, based()).ties("probe"), Not(Contains(HasSubstr("lists the directory"))));
}

INSTANTIATE_TEST_SUITE_P(Compilers, ExplainTies, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
