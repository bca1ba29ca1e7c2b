// Files and directories that a compile looks at without opening them. It matters whether they are empty, match what a
// precompiled header names, or are one file under two names.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

class LookedAt : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  Arguments compile(const std::string& flags = "") const {
    return Arguments{GetParam()} + words(flags) + words("-c a.cpp -o a.o");
  }
  void run_compiler(const std::string& arguments) const {
    const Ended ended = run(Arguments{GetParam()} + words(arguments), project_.path());
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }
  void touch(const std::string& name) const {
    fs::last_write_time(project_ / name, fs::last_write_time(project_ / name) + hours(1));
  }
  // The compiler refuses the command, with and without hipcache.
  void expect_failure(const Arguments& argv) {
    EXPECT_EQ(check(argv).failed, 1);
    EXPECT_NE(oracle_.exit_code(), 0);
  }

  // A precompiled header of two headers, and a compile that uses it and hits.
  Arguments warm_precompiled(const std::string& flags) {
    project_.write("before.h", "#include \"inner.h\"\n");
    project_.write("inner.h", "#define VALUE 1\n");
    project_.write("a.cpp", "int one() { return VALUE; }\n");
    run_compiler("-x c++-header before.h -o before.pch " + flags);
    const Arguments argv = compile("-include-pch before.pch");
    expect_run(argv);
    expect_hit(argv);
    return argv;
  }
};

class LookedAtByClang : public LookedAt {};    // compares the times of a precompiled header's headers
class LookedAtByGcc : public LookedAt {};      // looks at none of them
class LookedAtWithEmbed : public LookedAt {};  // knows #embed

TEST_P(LookedAtByClang, AHeaderOfAPrecompiledHeaderThatIsTouchedIsAsWithTheCompiler) {
  const Arguments argv = warm_precompiled("");
  const auto time = fs::last_write_time(project_ / "inner.h");
  touch("inner.h");
  expect_failure(argv);
  fs::last_write_time(project_ / "inner.h", time);
  expect_hit(argv);
  project_.write("unrelated.h", "");
  expect_hit(argv);
}

TEST_P(LookedAtByClang, AHeaderOfAPrecompiledHeaderWithoutTimesMayBeTouchedButNotGrow) {
  const Arguments argv = warm_precompiled("-Xclang -fno-pch-timestamp");
  touch("inner.h");
  expect_hit(argv);
  project_.write("inner.h", "#define VALUE 12\n");
  expect_failure(argv);
  project_.write("inner.h", "#define VALUE 1\n");
  expect_hit(argv);
}

TEST_P(LookedAtByGcc, AHeaderOfAPrecompiledHeaderMayBeTouched) {
  project_.write("before.h", "#define VALUE 1\n");
  project_.write("a.cpp", "#include \"before.h\"\nint one() { return VALUE; }\n");
  run_compiler("-x c++-header before.h -o before.h.gch");
  expect_run(compile());
  touch("before.h");
  expect_hit(compile());
}

TEST_P(LookedAt, AHeaderWithoutAPrecompiledOneMayBeTouched) {
  project_.write("inner.h", "#define VALUE 1\n");
  project_.write("a.cpp", "#include \"inner.h\"\nint one() { return VALUE; }\n");
  expect_run(compile());
  touch("inner.h");
  expect_hit(compile());
}

TEST_P(LookedAtWithEmbed, AnEmptyFileThatIsToBeEmbeddedAndGetsContentIsSeen) {
  project_.write("data.bin", "");
  project_.write("a.cpp", "#if __has_embed(\"data.bin\") == 2\nint value = 2;\n#else\nint value = 1;\n#endif\n");
  expect_run(compile());
  expect_hit(compile());
  project_.write("data.bin", "1");
  expect_run(compile());
  expect_hit(compile());
  project_.write("data.bin", "2, 3");
  expect_hit(compile());
  project_.write("data.bin", "");
  expect_hit(compile());
}

// The compilers treat two names of one directory as one, and #include_next then does not find the second.
TEST_P(LookedAt, ADirectoryThatWasMountedTwiceAndIsNoMoreIsSeen) {
  const std::string header = "#ifndef ONE\n#define ONE\n#include_next <value.h>\n#else\n#define TWO 1\n#endif\n";
  project_.write("one/value.h", header);
  project_.write("two/value.h", header);
  project_.write("three/value.h", "#define THREE 1\n");
  project_.write("a.cpp", "#include <value.h>\n#ifdef TWO\nint two() { return 2; }\n#endif\nint one() { return 1; }\n");
  if (mount((project_ / "one").c_str(), (project_ / "two").c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "mounting takes rights";
  const Arguments argv = compile("-Ione -Itwo -Ithree");
  expect_run(argv);
  expect_hit(argv);
  ASSERT_EQ(umount((project_ / "two").c_str()), 0);
  expect_run(argv);
  expect_hit(argv);
}

std::string name_of_program(const testing::TestParamInfo<std::string>& one) {
  return one.param == "g++" ? "Gcc" : "Clang" + one.param.substr(8);
}

INSTANTIATE_TEST_SUITE_P(Compilers, LookedAt, testing::Values("g++", "clang++-19"), name_of_program);
INSTANTIATE_TEST_SUITE_P(Compilers, LookedAtByClang, testing::Values("clang++-15", "clang++-19"), name_of_program);
INSTANTIATE_TEST_SUITE_P(Compilers, LookedAtByGcc, testing::Values("g++"), name_of_program);
INSTANTIATE_TEST_SUITE_P(Compilers, LookedAtWithEmbed, testing::Values("clang++-19"), name_of_program);

class LookedAtByHip : public Staleness {};  // for compilers that know #embed

TEST_P(LookedAtByHip, AnEmptyFileThatIsToBeEmbeddedAndGetsContentIsSeen) {
  project_.write("data.bin", "");
  write_kernel(
      project_, "a.hip",
      "#if __has_embed(\"data.bin\") == 2\n__device__ int value = 1;\n#else\n__device__ int value = 2;\n#endif\n");
  warm(command());
  project_.write("data.bin", "1");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
  project_.write("data.bin", "2, 3");
  expect_hit(command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, LookedAtByHip, testing::Values(Compiler{"19"}), name_of);

}  // namespace
}  // namespace hipcache::integration
