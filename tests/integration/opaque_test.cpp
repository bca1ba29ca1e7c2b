// Opaque compiles at once, and compilers that are not known as such. For what an opaque compile depends on see
// fixtures/cases/opaque.toml.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

class OpaqueCompiles : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  OpaqueCompiles() {
    project_.write("a.c", "#include \"a.h\"\nint main(void) { return VALUE; }\n");
    project_.write("a.h", "#define VALUE 1\n");
  }
};

TEST_P(OpaqueCompiles, TheSameCompileTwiceAtOnceRunsOnce) {
  const std::vector<Request> both(2, Request{{GetParam(), "-c", "a.c", "-o", "a.o"}, project_.path(), {}});
  const Comparison compared = oracle_.compare(both);
  EXPECT_THAT(compared.differences, testing::IsEmpty());
  EXPECT_EQ(compared.counted.run.at("host"), 1);
  EXPECT_EQ(compared.counted.hits + compared.counted.misses, 2);
}

std::string name_of_program(const testing::TestParamInfo<std::string>& program) {
  std::string name = program.param;
  std::erase(name, '-');
  return name;
}

// A script around a compiler, under a name that does not say so, as MPI has.
class FurtherCompiler : public OpaqueCompile, public testing::Test {};

TEST_F(FurtherCompiler, IsPassedThroughWithAdviceUntilItIsNamed) {
  project_.write("a.cpp", "int a() { return 1; }\n");
  const std::string program = project_.write("bin/mpicxx", "#!/bin/sh\nexec g++ \"$@\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Arguments command{program, "-O1", "-MD", "-c", "a.cpp", "-o", "a.o"};
  expect_passed("not-a-compiler", command);
  const std::string advice = "if this is a compiler, name it: HIPCACHE_COMPILERS=mpicxx";
  EXPECT_EQ(cache_.counts().json.at("not_cached_detail").at("not-a-compiler"), program + ": " + advice);
  EXPECT_THAT(cache_.control("--show-stats").out, testing::HasSubstr(advice));
  EXPECT_THAT(cache_.run(Arguments{"--explain", "--"} + command, project_.path()).out, testing::HasSubstr(advice));
  expect_passed("not-a-compiler", Arguments{"nice"} + command);
  EXPECT_THAT(cache_.control("--show-stats").out, testing::HasSubstr("nice hipcache clang++ ..."));
}

INSTANTIATE_TEST_SUITE_P(Compilers, OpaqueCompiles, testing::Values("gcc", "clang-15", "clang-19"), name_of_program);

}  // namespace
}  // namespace hipcache::integration
