// `hipcache --explain` names what keeps a step's result on this machine or in its directory, with the mend. Where there
// is a mend, the test applies it, and the tie is gone. A compile that travels has no tie (see also travel_test.cpp).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "integration/support/explained.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ExplainTies : public SingleCompile {
 protected:
  ExplainTies() {
    project_.write("include/size.h", "#pragma once\n#define SIZE 7\n");
    project_.write("b.cpp", "#include <size.h>\nint size = SIZE;\n");
  }

  // clang 15 looks for a ROCm whatever it compiles.
  Arguments cxx(const std::string& flags = "-Iinclude") const {
    return Arguments{GetParam().program(), "--rocm-path=/usr"} + words(flags) + words("-c b.cpp -o b.o");
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

  std::string root() const { return project_.path(); }
};

TEST_P(ExplainTies, ACompileThatTravelsHasNone) {
  const Variables variables = based();
  for (const Arguments& argv : {command("-O1 -Iinclude"), cxx(), gcc(),
                                cxx("-g -ffile-prefix-map=" + root() + "=. -I" + (project_ / "include"))}) {
    const Explained explained = compile(argv, variables);
    EXPECT_THAT(explained.ties(), IsEmpty()) << explained.text();
    const Ended text = cache_.run(Arguments{"--explain", "--"} + argv, root(), variables);
    EXPECT_THAT(text.out, Not(HasSubstr("kept to this")));
  }
}

TEST_P(ExplainTies, NothingIsSaidBeforeTheFirstCompileAndTheSameWhileItsInputDiffers) {
  EXPECT_THAT(explain(gcc("-I" + (project_ / "include"))).ties(), IsEmpty());
  const Explained stored = compile(gcc("-I" + (project_ / "include")));
  project_.write("include/size.h", "#pragma once\n#define SIZE 8\n");
  const Explained differs = explain(gcc("-I" + (project_ / "include")));
  EXPECT_EQ(differs.verdict("compile"), "would run");
  EXPECT_FALSE(stored.ties().empty());
  EXPECT_EQ(differs.ties(), stored.ties());
}

TEST_P(ExplainTies, AbsoluteNamesKeepAResultInItsDirectoryUntilThereIsABaseDirectory) {
  const Arguments argv = gcc("-I" + (project_ / "include"));
  EXPECT_THAT(compile(argv).ties("compile"),
              Contains(AllOf(HasSubstr("kept to this directory: the absolute name "), HasSubstr(root()),
                             HasSubstr("with HIPCACHE_BASEDIR above it, it travels"))));
  EXPECT_THAT(compile(argv, based()).ties(), IsEmpty());
}

TEST_P(ExplainTies, TheWorkingDirectoryIsNamed) {
  const Arguments argv = gcc("-g -Iinclude");
  EXPECT_THAT(compile(argv).ties("compile"),
              Contains("kept to this directory: depends on the working directory; with HIPCACHE_BASEDIR=" + root() +
                       " it travels"));
}

TEST_P(ExplainTies, ARootThatShowsInTheResultIsNamedWithTheMapThatRemovesIt) {
  EXPECT_THAT(compile(gcc("-g -Iinclude"), based()).ties("compile"),
              ElementsAre("kept to this directory: the base directory " + root() +
                          " may show in the result; -ffile-prefix-map=" + root() + "=. may remove it"));
  EXPECT_THAT(compile(gcc("-g -Iinclude -ffile-prefix-map=" + root() + "=."), based()).ties(), IsEmpty());
}

TEST_P(ExplainTies, ASourceThatUsesItsOwnNameIsNamedForEachStepThatReadsIt) {
  const std::string header = project_.write("include/own.h", "inline const char* own_name() { return __FILE__; }\n");
  write_kernel(project_, "a.hip", "#include <own.h>\n");
  const std::string flags = "-O1 -I" + (project_ / "include");
  const std::string tie = "kept to this directory: " + header + ":1 uses __FILE__, which names " + root() +
                          "; with -ffile-prefix-map=" + root() + "=. it travels";
  const Explained tied = compile(command(flags), based());
  for (const char* step : {"device gfx906", "device gfx1030", "host"})
    EXPECT_THAT(tied.ties(step), ElementsAre(tie)) << step;
  EXPECT_THAT(tied.ties("probe"), IsEmpty());
  EXPECT_THAT(compile(command(flags + " -ffile-prefix-map=" + root() + "=."), based()).ties(), IsEmpty());
}

// clang 15 writes the id of such a source nowhere (docs/internals/cuid.md).
TEST_P(ExplainTies, TheIdOfTheTranslationUnitIsNamedWhereItShowsAndNoRootHoldsTheSource) {
  const Arguments argv = command("-O1 -fgpu-rdc");
  const Explained without_root = compile(argv);
  const auto tie = Contains("kept to this directory: shows the CUID, which is made of " + (project_ / "a.hip") +
                            "; with HIPCACHE_BASEDIR above it, it travels");
  if (GetParam().version == "15")
    EXPECT_THAT(without_root.ties("host"), Not(tie));
  else
    EXPECT_THAT(without_root.ties("host"), tie);
  EXPECT_THAT(compile(argv, based()).ties(), IsEmpty());
}

TEST_P(ExplainTies, AMacroThatNamesARootCountsAsTyped) {
  const std::string macro = "-DROOT=\"" + root() + "\"";
  EXPECT_THAT(compile(gcc(macro + " -Iinclude"), based()).ties("compile"),
              Contains("kept to this directory: the argument " + macro + " names " + root() +
                       ", and its text counts as typed"));
}

TEST_P(ExplainTies, AnOptionThatMayJoinANameToARootIsNamed) {
  const std::string above = std::filesystem::path(root()).parent_path();
  const std::string rest = root().substr(above.size());
  EXPECT_THAT(
      compile(gcc("--sysroot=" + above + " -I=" + rest + "/include"), based()).ties("compile"),
      Contains("kept to this directory: an option may join a name to " + root() + " (--sysroot, -isysroot, -iprefix)"));
}

TEST_P(ExplainTies, AVariableThatNamesTheHomeOrTheWorkingDirectoryIsNamedAndNeverItsValue) {
  const support::Scratch home;
  home.make_directory("headers");
  const Variables in_home = based({{"HOME", home.path()}, {"CPATH", home / "headers"}});
  const Explained kept = compile(gcc(), in_home);
  EXPECT_THAT(kept.ties("compile"), Contains("kept to this machine: the value of the variable CPATH"));

  EXPECT_THAT(compile(gcc(), {{"CPATH", project_ / "include"}}).ties("compile"),
              Contains("kept to this directory: the variable CPATH names " + root() +
                       "; with HIPCACHE_BASEDIR=" + root() + " it travels"));
  EXPECT_THAT(compile(gcc(), based({{"CPATH", project_ / "include"}})).ties(), IsEmpty());
}

// gcc's specs files read any variable by its name.
TEST_P(ExplainTies, TheHomeDirectoryThatACompilerAsksForIsNamed) {
  project_.write("of-home.specs", "*cpp:\n+ -isystem %:getenv(HOME /headers)\n");
  const std::string flags = "-Iinclude -specs=of-home.specs";
  project_.write("b.c", "int one = 1;\n");
  const Explained kept = compile(words("gcc " + flags + " -c b.c -o b.o"), based({{"HOME", "/root"}}));
  EXPECT_THAT(kept.ties("compile"), Contains("kept to this machine: the value of the variable HOME"));
}

TEST_P(ExplainTies, HeadersOfEqualContentAndTimeAreNamed) {
  project_.write("include/twin.h", support::read_bytes(project_ / "include/size.h"));
  project_.write("b.cpp", "#include <size.h>\n#include <twin.h>\nint size = SIZE;\n");
  const auto date = [&](const char* header, std::time_t seconds) {
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (project_ / "include/" + header).c_str(), times, 0), 0);
  };
  date("size.h", 1'600'000'000);
  date("twin.h", 1'600'000'000);
  EXPECT_THAT(
      compile(gcc(), based()).ties("compile"),
      ElementsAre("kept to this machine: " + (project_ / "include/size.h") + " and " + (project_ / "include/twin.h") +
                  " have equal content, and are one file or have one time; if their contents differ, it "
                  "travels"));
  date("twin.h", 1'600'000'001);
  EXPECT_THAT(compile(gcc(), based()).ties(), IsEmpty());
}

TEST_P(ExplainTies, TheProcessorIsNamedForTheStepsThatDependOnIt) {
  EXPECT_THAT(compile(gcc("-march=native -Iinclude"), based()).ties("compile"),
              ElementsAre("kept to this machine: -march=native asks the processor; with the processor's name it "
                          "travels"));
  EXPECT_THAT(compile(gcc("-march=x86-64-v2 -Iinclude"), based()).ties(), IsEmpty());
  EXPECT_THAT(compile(gcc("-Iinclude"), based({{"CFLAGS", "-march=native"}})).ties("compile"),
              ElementsAre(HasSubstr("CFLAGS asks the processor")));
  const Explained split = compile(command("-O1 -Xarch_host -march=native"), based());
  EXPECT_THAT(split.ties("host"), ElementsAre(HasSubstr("-march=native asks the processor")));
  EXPECT_THAT(split.ties("device gfx906"), IsEmpty());
}

TEST_P(ExplainTies, TheTimesOfHeadersThatAPrecompiledHeaderComparesAreNamed) {
  for (const bool without_times : {false, true}) {
    const Arguments precompile = Arguments{GetParam().program()} +
                                 words(without_times ? "-Xclang -fno-pch-timestamp" : "") +
                                 words("-Iinclude -x c++-header include/size.h -o size.pch");
    ASSERT_EQ(run(precompile, root()).exit_code, 0);
    const Explained explained = compile(cxx("-include-pch size.pch -Iinclude"), based());
    const auto time = AllOf(HasSubstr("kept to this machine: the time of "), HasSubstr("size.h"),
                            HasSubstr("with -Xclang -fno-pch-timestamp it travels"));
    if (without_times)
      EXPECT_THAT(explained.ties("compile"), Not(Contains(time)));
    else
      EXPECT_THAT(explained.ties("compile"), Contains(time));
  }
}

TEST_P(ExplainTies, AnOutputWhereNoResultOfASharedCacheMayBePutIsNamed) {
  project_.write("build/main.c", "int main(void) { return 0; }\n");
  const auto in_build = [&](const Arguments& argv) { return cache_.run(argv, project_ / "build", based()); };
  const Arguments link = words("gcc main.o -o ../program");
  ASSERT_EQ(in_build(words("gcc -c main.c -o main.o")).exit_code, 0);
  ASSERT_EQ(in_build(link).exit_code, 0);
  const Explained explained(
      nlohmann::json::parse(in_build(Arguments{"--explain", "--format", "json", "--"} + link).out));
  EXPECT_THAT(explained.ties("link"), Contains(HasSubstr("kept to this machine: writes ../program; ")));
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
