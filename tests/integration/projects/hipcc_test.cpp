// hipcc, the script around clang: split by architecture like clang itself, with what it takes from the environment.
#include <gtest/gtest.h>

#include <string>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

class Hipcc : public SingleCompile {
 protected:
  Hipcc() { write_kernel(project_, "a.cpp"); }

  static Arguments command(const std::string& flags = "--offload-arch=gfx906") {
    return Arguments{"hipcc"} + words("-std=c++17 -nogpuinc -O1 " + flags + " -c a.cpp -o a.o");
  }

  // hipcc takes the compiler from this directory.
  Variables by_version(const Variables& more = {}) const {
    Variables all{{"HIP_CLANG_PATH", clang_path_}, {"HIP_PLATFORM", "amd"}};
    for (const auto& [name, value] : more) all[name] = value;
    return all;
  }

  support::Scratch toolchain_;
  const std::string clang_path_ = write_toolchain_for_hipcc(toolchain_, GetParam());
};

TEST_P(Hipcc, IsCachedByArchitecture) {
  EXPECT_EQ(check(command(), by_version()).run.at("device gfx906"), 1);
  const Counts warm = check(command(), by_version());
  EXPECT_EQ(warm.hits, 1);
  EXPECT_EQ(warm.run.at("device") + warm.run.at("host") + warm.run.at("probe"), 0);
  const Counts added = check(command("--offload-arch=gfx906 --offload-arch=gfx1030"), by_version());
  EXPECT_EQ(added.run.at("device"), 1);
  EXPECT_EQ(added.hit.at("device gfx906"), 1);
}

TEST_P(Hipcc, TakesArgumentsFromTheEnvironmentWhichAreInputs) {
  project_.write("a.cpp",
                 support::read_bytes(project_ / "a.cpp") + "#ifdef MORE\n__device__ int more = MORE;\n#endif\n");
  check(command(), by_version());
  const Counts more = check(command(), by_version({{"HIPCC_COMPILE_FLAGS_APPEND", "-DMORE=1"}}));
  EXPECT_EQ(more.hits, 0);
  EXPECT_EQ(more.run.at("device"), 1);
  EXPECT_EQ(check(command(), by_version({{"HIPCC_COMPILE_FLAGS_APPEND", "-DMORE=2"}})).run.at("device"), 1);
  EXPECT_EQ(check(command(), by_version()).hits, 1);
}

TEST_P(Hipcc, MakesAssemblyThatIsCachedToo) {
  const Arguments whole = Arguments{"hipcc"} + words("-std=c++17 -nogpuinc -O1 --offload-arch=gfx906 -S a.cpp -o a.s");
  const Counts cold = check(whole, by_version());
  EXPECT_EQ(cold.hits + cold.passed, 0) << cold.json.dump();
  EXPECT_EQ(check(whole, by_version()).hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Hipcc, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
