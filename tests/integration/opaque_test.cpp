// Opaque compiles: what they depend on, where they hit, what is left to the compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class OpaqueCompiles : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  OpaqueCompiles() {
    project_.write("a.c", "#include \"a.h\"\nint main(void) { return VALUE; }\n");
    project_.write("a.h", "#define VALUE 1\n");
  }

  Arguments command(const std::string& flags = "-c a.c -o a.o") const { return Arguments{GetParam()} + words(flags); }
};

TEST_P(OpaqueCompiles, AnEditedHeaderRunsAndItsFormerTextHits) {
  expect_run(command());
  expect_hit(command());
  project_.write("a.h", "#define VALUE 2\n");
  expect_run(command());
  project_.write("a.h", "#define VALUE 1\n");
  expect_hit(command());
}

TEST_P(OpaqueCompiles, AHeaderThatAppearsEarlierOnThePathIsSeen) {
  project_.write("a.c", "#include <b.h>\nint main(void) { return VALUE; }\n");
  project_.make_directory("first");
  project_.write("second/b.h", "#define VALUE 1\n");
  const Arguments argv = command("-Ifirst -Isecond -c a.c -o a.o");
  expect_run(argv);
  expect_hit(argv);
  project_.write("first/b.h", "#define VALUE 2\n");
  expect_run(argv);
  fs::remove(project_ / "first/b.h");
  expect_hit(argv);
}

TEST_P(OpaqueCompiles, EveryFileThatWasWrittenComesBack) {
  const Arguments argv = command("-g -gsplit-dwarf --coverage -frandom-seed=1 -MD -MF deps/a.d -c a.c -o out/a.o");
  project_.make_directory("deps");
  project_.make_directory("out");
  expect_run(argv);
  const std::vector<std::string> names{"deps/a.d", "out/a.o", "out/a.dwo", "out/a.gcno"};
  for (const std::string& name : names) EXPECT_TRUE(fs::remove(project_ / name)) << name;
  expect_hit(argv);
  for (const std::string& name : names) EXPECT_TRUE(support::exists(project_ / name)) << name;
}

TEST_P(OpaqueCompiles, MessagesAreRepeatedAndErrorsAreNeverStored) {
  project_.write("a.c", "int main(void) { int unused; return 0; }\n");
  expect_run(command("-Wall -c a.c -o a.o"));
  expect_hit(command("-Wall -c a.c -o a.o"));
  project_.write("a.c", "int main(void) { return nothing; }\n");
  for (int time = 0; time < 2; ++time) {
    const Counts counted = check(command());
    EXPECT_EQ(counted.failed, 1);
    EXPECT_EQ(counted.misses, 1);
    EXPECT_EQ(oracle_.exit_code(), 1);
  }
}

TEST_P(OpaqueCompiles, VariablesThatTheCompilerAsksForAreInputs) {
  project_.write("elsewhere/b.h", "#define VALUE 3\n");
  project_.write("other/b.h", "#define VALUE 4\n");
  project_.write("a.c", "#include <b.h>\nint main(void) { return VALUE; }\n");
  expect_run(command(), {{"CPATH", project_ / "elsewhere"}});
  expect_hit(command(), {{"CPATH", project_ / "elsewhere"}});
  expect_run(command(), {{"CPATH", project_ / "other"}});
  expect_hit(command(), {{"CPATH", project_ / "elsewhere"}, {"HIPCACHE_UNRELATED", "1"}, {"UNRELATED", "1"}});
}

TEST_P(OpaqueCompiles, TheSeedOfNamesIsAnInputOfGccAlone) {
  const bool ignores = GetParam().starts_with("clang");
  expect_run(command("-O1 -frandom-seed=one -c a.c -o a.o"));
  (ignores ? expect_hit(command("-O1 -frandom-seed=two -c a.c -o a.o"))
           : expect_run(command("-O1 -frandom-seed=two -c a.c -o a.o")));
  expect_run(command("-grecord-gcc-switches -g -frandom-seed=one -c a.c -o a.o"));
  expect_run(command("-grecord-gcc-switches -g -frandom-seed=two -c a.c -o a.o"));
}

TEST_P(OpaqueCompiles, AProgramIsNoClangByItsNameAlone) {
  if (GetParam() != "gcc") GTEST_SKIP() << "this one is";
  project_.link("clang", "/usr/bin/gcc");
  for (const char* seed : {"one", "two"})
    expect_run({project_ / "clang", "-frandom-seed=" + std::string(seed), "-c", "a.c", "-o", "a.o"});
}

TEST_P(OpaqueCompiles, TheDateIsNotAskedOfTheCache) {
  project_.write("a.c", "const char* date = __DATE__;\n");
  EXPECT_EQ(check(command()).not_stored.at("clock"), 1);
  EXPECT_EQ(check(command()).misses, 1);
}

TEST_P(OpaqueCompiles, TheDirectoryCountsWhereItShows) {
  for (const char* name : {"one", "two"}) {
    project_.write(std::string(name) + "/a.c", "int main(void) { return 1; }\n");
  }
  Oracle one(cache_, project_ / "one");
  Oracle two(cache_, project_ / "two");
  EXPECT_EQ(one.check(command()).misses, 1);
  EXPECT_EQ(two.check(command()).hits, 1);
  EXPECT_EQ(one.check(command("-g -c a.c -o a.o")).misses, 1);
  EXPECT_EQ(two.check(command("-g -c a.c -o a.o")).misses, 1);
}

TEST_P(OpaqueCompiles, PreprocessedTextAssemblyAndSyntaxAreCached) {
  for (const char* flags : {"-E a.c", "-S a.c -o a.s", "-fsyntax-only a.c", "-M a.c", "-E a.c -o a.i"}) {
    SCOPED_TRACE(flags);
    expect_run(command(flags));
    expect_hit(command(flags));
  }
}

TEST_P(OpaqueCompiles, WhatNoTraceCanShowIsLeftToTheCompiler) {
  expect_passed("standard-input", command("-x c -c - -o a.o"));
  expect_passed("driver-information", command("--version"));
  expect_passed("output-not-a-file", command("-E a.c -o /dev/zero"));
}

TEST_P(OpaqueCompiles, ALinkInAnOutputsPlaceIsTheCompilersToFollow) {
  expect_run(command());
  fs::remove(project_ / "a.o");
  project_.write("real.o", "");
  project_.link("a.o", "real.o");
  expect_passed("output-not-a-regular-file", command());
}

TEST_P(OpaqueCompiles, TheSameCompileTwiceAtOnceRunsOnce) {
  const std::vector<Request> both(2, Request{command(), project_.path(), {}});
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

// A script or program around a compiler, under a name that does not say so, as MPI has.
class FurtherCompiler : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  FurtherCompiler() {
    project_.write("a.cpp", "#include \"a.h\"\nint a() { return VALUE; }\n");
    project_.write("a.h", "#define VALUE 1\n");
    write_compiler("-DMPI=1");
  }

  void write_compiler(const std::string& flag) const {
    fs::remove(program());
    if (GetParam() == "script") {
      project_.write("bin/mpicxx", "#!/bin/sh\nexec g++ " + flag + " \"$@\"\n");
      fs::permissions(program(), fs::perms::owner_all);
      return;
    }
    project_.write("mpicxx.c",
                   "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
                   "int main(int count, char** words) {\n  char** all = calloc(count + 2, sizeof *all);\n"
                   "  all[0] = \"g++\";\n  all[1] = \"" +
                       flag +
                       "\";\n  memcpy(all + 2, words + 1, count * sizeof *all);\n  execvp(\"g++\", all);\n"
                       "  return 127;\n}\n");
    project_.make_directory("bin");
    ASSERT_EQ(run({"gcc", "mpicxx.c", "-o", "bin/mpicxx"}, project_.path()).exit_code, 0);
  }
  std::string program() const { return project_ / "bin/mpicxx"; }

  Arguments command() const { return {program(), "-O1", "-MD", "-c", "a.cpp", "-o", "a.o"}; }

  void expect_not_stored() { EXPECT_EQ(check(command(), kNamed).not_stored.at("compiler-is-a-wrapper"), 1); }

  static inline const Variables kNamed{{"HIPCACHE_COMPILERS", "other,mpicxx=gcc"}};
};

// That a program starts another compiler shows when it has run.
TEST_P(FurtherCompiler, IsCachedOnceItIsNamedAndDependsOnAllThatItStarts) {
  if (GetParam() == "program") expect_not_stored();
  expect_run(command(), kNamed);
  expect_hit(command(), kNamed);
  project_.write("a.h", "#define VALUE MPI\n");
  expect_run(command(), kNamed);
  expect_hit(command(), kNamed);
  write_compiler("-DMPI=2");
  if (GetParam() == "program") expect_not_stored();
  expect_run(command(), kNamed);
  expect_hit(command(), kNamed);
  project_.write("a.h", "#define VALUE \n");
  EXPECT_EQ(check(command(), kNamed).failed, 1) << "its errors are the compiler's";
}

TEST_P(FurtherCompiler, IsPassedThroughWithAdviceUntilItIsNamed) {
  expect_passed("not-a-compiler", command());
  const std::string advice = "if this is a compiler, name it: HIPCACHE_COMPILERS=mpicxx";
  EXPECT_EQ(cache_.counts().json.at("not_cached_detail").at("not-a-compiler"), program() + ": " + advice);
  EXPECT_THAT(cache_.control("--show-stats").out, testing::HasSubstr(advice));
  EXPECT_THAT(cache_.run(Arguments{"--explain", "--"} + command(), project_.path()).out, testing::HasSubstr(advice));
  expect_passed("not-a-compiler", Arguments{"nice"} + command());
  EXPECT_THAT(cache_.control("--show-stats").out, testing::HasSubstr("nice hipcache clang++ ..."));
}

INSTANTIATE_TEST_SUITE_P(Programs, FurtherCompiler, testing::Values("script", "program"),
                         [](const auto& program) { return program.param; });

INSTANTIATE_TEST_SUITE_P(Compilers, OpaqueCompiles, testing::Values("gcc", "clang-15", "clang-19"), name_of_program);

}  // namespace
}  // namespace hipcache::integration
