// One command for more sources than a key has path sets: sources of one name in many directories, and a source that is
// written anew for each compile. Each content is compiled once.
#include <gtest/gtest.h>

#include <string>

#include "hipcache/store/store.h"
#include "integration/support/opaque_compile.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

constexpr int kSources = static_cast<int>(store::kMaxPathSets) + 4;

std::string header(int number) { return "h" + std::to_string(number) + ".h"; }

// Each source has a header of its own, and so a path set of its own.
std::string source(int number) {
  return "#include \"" + header(number) + "\"\nint main(void) { return VALUE + " + std::to_string(number) + "; }\n";
}

class OneCommandForManySources : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  void write_header(int number, const std::string& directory = ".") const {
    project_.write(directory + "/" + header(number), "#define VALUE 1\n");
  }

  Arguments command(const std::string& flags) const { return Arguments{GetParam()} + words(flags); }

  // Compiles each source under the name conftest.c, twice round.
  void expect_hits_in_the_second_round(const std::string& flags) {
    for (int number = 0; number < kSources; ++number) write_header(number);
    for (const bool first : {true, false})
      for (int number = 0; number < kSources; ++number) {
        SCOPED_TRACE(std::to_string(number) + (first ? ", first round" : ", second round"));
        project_.write("conftest.c", source(number));
        const Counts counted = check(command(flags));
        EXPECT_EQ(oracle_.exit_code(), 0);
        EXPECT_EQ(counted.misses, first ? 1 : 0) << counted.json.dump();
        EXPECT_EQ(counted.hits, first ? 0 : 1) << counted.json.dump();
      }
  }
};

TEST_P(OneCommandForManySources, FindsAllOfThemThoughEachIsWrittenOverTheOneBefore) {
  expect_hits_in_the_second_round("-c -g -O2 conftest.c");
}

TEST_P(OneCommandForManySources, FindsAllOfThemThoughItLinksThemAsWell) {
  expect_hits_in_the_second_round("-O1 conftest.c -o conftest");
}

TEST_P(OneCommandForManySources, FindsAllOfThemInTheirDirectories) {
  const auto directory = [](int number) { return "d" + std::to_string(number); };
  for (int number = 0; number < kSources; ++number) {
    project_.write(directory(number) + "/main.c", source(number));
    write_header(number, directory(number));
  }
  for (const bool first : {true, false})
    for (int number = 0; number < kSources; ++number) {
      SCOPED_TRACE(directory(number) + (first ? ", first round" : ", second round"));
      const Counts counted =
          Oracle(cache_, project_ / directory(number)).check(command("-O2 -Wall -c main.c -o main.o"));
      EXPECT_EQ(counted.misses, first ? 1 : 0) << counted.json.dump();
      EXPECT_EQ(counted.hits, first ? 0 : 1) << counted.json.dump();
    }
}

TEST_P(OneCommandForManySources, FindsASourceAgainAfterAnEditThatIsUndone) {
  const Arguments argv = command("-c a.c -o a.o");
  for (const int number : {1, 2}) write_header(number);
  project_.write("a.c", source(1));
  expect_run(argv);
  project_.write("a.c", source(2));
  expect_run(argv);
  project_.write("a.c", source(1));
  expect_hit(argv);
  project_.write(header(1), "#define VALUE 2\n");
  expect_run(argv);
  project_.write(header(1), "#define VALUE 1\n");
  expect_hit(argv);
}

std::string name_of_program(const testing::TestParamInfo<std::string>& program) {
  std::string name = program.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Compilers, OneCommandForManySources, testing::Values("gcc", "clang-19"), name_of_program);

// A request's key holds the directory, so only one name in one directory can stand for many sources.
class OneCommandForManyKernels : public SingleCompile {};

TEST_P(OneCommandForManyKernels, FindsAllOfThemThoughEachIsWrittenOverTheOneBefore) {
  const Arguments argv = GetParam().hip() + archs({"gfx906"}) + words("-O1 -c a.hip -o a.o");
  for (int number = 0; number < kSources; ++number) project_.write(header(number), "#define VALUE 1\n");
  for (const bool first : {true, false})
    for (int number = 0; number < kSources; ++number) {
      SCOPED_TRACE(std::to_string(number) + (first ? ", first round" : ", second round"));
      write_kernel(project_, "a.hip", "#include \"" + header(number) + "\"\n");
      const Counts counted = check(argv);
      EXPECT_EQ(counted.hits, first ? 0 : 1) << counted.json.dump();
      if (first) continue;
      EXPECT_EQ(counted.run.at("device") + counted.run.at("host"), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, OneCommandForManyKernels, testing::Values(Compiler{"19"}), name_of);

}  // namespace
}  // namespace hipcache::integration
