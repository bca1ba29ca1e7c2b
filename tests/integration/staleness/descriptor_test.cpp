// What a compile reads through an open descriptor, which cannot be read again. Also files on a file system that is
// mounted below /dev, which are ordinary files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class DescriptorStaleness : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  // Runs a command line with bash, where "$CXX" is the compiler, with or without hipcache before it. Returns the
  // messages (gcc reads no response file that is a pipe) and the object.
  std::string trace_of(const std::string& line, const std::string& launcher) {
    fs::remove(project_ / "a.o");
    const Ended ended =
        run({"bash", "-c", "CXX='" + launcher + " " + GetParam() + "'; " + line}, project_.path(), cache_.variables());
    const std::string object = support::exists(project_ / "a.o") ? support::read_bytes(project_ / "a.o") : "none";
    return std::to_string(ended.exit_code) + ended.err + object;
  }

  // Compiles two values, the second one twice: the objects are the compiler's own, and nothing is stored.
  void expect_passed_by_shell(const std::string& before, const std::string& after,
                              const std::string& reason = "standard-input") {
    for (const std::string value : {"1", "2", "2"}) {
      const std::string line = before + "'int one = " + value + ";'" + after;
      SCOPED_TRACE(line);
      const Counts counts = cache_.counts();
      const std::string cached = trace_of(line, hipcache_program());
      const Counts counted = cache_.counts() - counts;
      EXPECT_TRUE(cached == trace_of(line, ""));
      EXPECT_TRUE(cached.starts_with("0") || line.find('@') != std::string::npos) << cached;
      EXPECT_EQ(counted.passed, 1);
      EXPECT_EQ(counted.reasons.at(reason), 1) << counted.json.at("not_cached");
    }
  }
};

TEST_P(DescriptorStaleness, ASourceOnStandardInputIsReadByTheCompilerAlone) {
  project_.link("in.cpp", "/dev/stdin");
  for (const char* name : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-", "in.cpp"})
    expect_passed_by_shell("echo ", std::string(" | $CXX -x c++ -c ") + name + " -o a.o");
}

TEST_P(DescriptorStaleness, AProcessSubstitutionIsReadByTheCompilerAlone) {
  project_.write("a.cpp", "int two() { return one; }\n");
  expect_passed_by_shell("$CXX -x c++ -c -o a.o <(echo ", ")");
  expect_passed_by_shell("$CXX -include <(echo ", ") -c a.cpp -o a.o");
  project_.write("a.cpp", "int two() { return VALUE; }\n");
  expect_passed_by_shell("$CXX @<(echo -DVALUE=3 -D", ") -c a.cpp -o a.o");
}

// The step does not find the descriptor's header, so it compiles without the header or fails for its absence.
TEST_P(DescriptorStaleness, AHeaderThatIsADescriptorIsReadByTheCompilerAlone) {
  project_.link("link.h", "/dev/stdin");
  project_.link("links/link.h", "../link.h");
  for (const char* header : {"/dev/fd/0", "/dev/stdin", "/proc/self/fd/0", "link.h", "links/link.h"}) {
    const std::string include = std::string("#include \"") + header + "\"\n";
    project_.write("a.cpp", include + "int two() { return 1; }\n");
    expect_passed_by_shell("echo ", " | $CXX -c a.cpp -o a.o");
    project_.write("a.cpp", include + "int two() { return one; }\n");
    expect_passed_by_shell("echo ", " | $CXX -c a.cpp -o a.o", "step-failed");
  }
}

// A pipe can be read only once, so the step must leave it to the compiler.
TEST_P(DescriptorStaleness, AHeaderThatIsAnInheritedPipeIsReadByTheCompilerAlone) {
  project_.link("link.h", "/dev/fd/5");
  for (const char* header : {"/dev/fd/5", "/proc/self/fd/5", "link.h"}) {
    project_.write("a.cpp", std::string("#include \"") + header + "\"\nint two() { return one; }\n");
    expect_passed_by_shell("exec 5< <(echo ", "); $CXX -c a.cpp -o a.o", "step-failed");
    const std::string asked = std::string("#if __has_include(\"") + header + "\")\n#include \"" + header + "\"\n";
    project_.write("a.cpp", asked + "int two() { return one; }\n#else\nint three() { return 3; }\n#endif\n");
    // A dangling link exists for __has_include, but not for #include.
    const bool fails = std::string(header) == "link.h";
    expect_passed_by_shell("exec 5< <(echo ", "); $CXX -c a.cpp -o a.o", fails ? "step-failed" : "standard-input");
  }
}

TEST_P(DescriptorStaleness, AFileOfAFileSystemBelowDevIsAFile) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "no file system is mounted at /dev/shm";
  std::string directory = "/dev/shm/hipcache-test-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(directory + "/" + name) << text;
  };
  write("value.h", "#define VALUE 1\n");
  write("a.cpp", "#include <value.h>\nint one() { return VALUE; }\n");
  const Arguments argv{GetParam(), "-I", directory, "-c", directory + "/a.cpp", "-o", "a.o"};
  expect_run(argv);
  expect_hit(argv);
  write("value.h", "#define VALUE 2\n");
  expect_run(argv);
  write("a.cpp", "#include <value.h>\nint two() { return VALUE; }\n");
  expect_run(argv);
  expect_hit(argv);
  fs::remove_all(directory);
}

INSTANTIATE_TEST_SUITE_P(Compilers, DescriptorStaleness, testing::Values("g++", "clang++-19"),
                         [](const auto& one) { return one.param == "g++" ? "Gcc" : "Clang" + one.param.substr(8); });

}  // namespace
}  // namespace hipcache::integration
