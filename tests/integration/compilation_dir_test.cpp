// A compilation directory that the user chooses (-fdebug-compilation-dir=). Build directories share a result if nothing
// in it names them. The oracle checks every compile.
#include <gtest/gtest.h>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

// Two build directories of one project, with a generated header each. Words of flags are replaced: PARENT by the
// directory of all, BUILD by the build directory.
class CompilationDir : public testing::TestWithParam<Compiler> {
 protected:
  CompilationDir() {
    const std::string function = "(int x) { return 3 * x; }\n";
    for (const std::string build : {"one", "two"}) {
      scratch_.write(build + "/CMakeCache.txt", "");
      scratch_.write(build + "/generated/made.h", "__attribute__((used)) static inline int made" + function);
    }
    scratch_.write("src/a.c", "#include \"own.h\"\nint more(int x) { return own(x); }\n");
    scratch_.write("src/made.c", "#include <made.h>\nint more(int x) { return made(x); }\n");
    scratch_.write("src/own.h", "static inline int own" + function);
    write_kernel(scratch_, "src/a.hip");
  }

  Arguments by_clang(const std::string& source) const { return {GetParam().program(), "-O1", "-c", source}; }
  Arguments by_hip() const {
    return GetParam().hip() + archs({"gfx906"}) + Arguments{"-O1", "-c", scratch_ / "src/a.hip"};
  }

  static void replace(std::string& text, const std::string& name, const std::string& by) {
    if (const auto at = text.find(name); at != text.npos) text.replace(at, name.size(), by);
  }

  Counts compile(const std::string& build, const Arguments& command, const std::string& flags) {
    Arguments argv = command;
    for (std::string flag : words(flags)) {
      replace(flag, "PARENT", scratch_.path());
      replace(flag, "BUILD", scratch_ / build);
      argv.push_back(flag);
    }
    return Oracle(cache_, scratch_ / build).check_cached(argv + Arguments{"-o", "a.o"});
  }

  static std::int64_t steps_run(const Counts& counts) { return counts.run.at("device") + counts.run.at("host"); }

  void expect_shared(const Arguments& command, const std::string& flags) {
    SCOPED_TRACE(flags);
    EXPECT_GT(steps_run(compile("one", command, flags)), 0);
    EXPECT_EQ(steps_run(compile("two", command, flags)), 0);
  }

  void expect_apart(const Arguments& command, const std::string& flags) {
    SCOPED_TRACE(flags);
    EXPECT_GT(steps_run(compile("one", command, flags)), 0);
    EXPECT_GT(steps_run(compile("two", command, flags)), 0);
    EXPECT_EQ(compile("one", command, flags).hits, 1);
    EXPECT_EQ(compile("two", command, flags).hits, 1);
  }

  support::Scratch scratch_;
  Cache cache_;
};

constexpr const char* kOptions[] = {"-fdebug-compilation-dir=", "-ffile-compilation-dir="};

TEST_P(CompilationDir, OfTheCompilersChoiceIsTheBuildDirectoryAndTies) {
  expect_apart(by_clang(scratch_ / "src/a.c"), "-g");
  expect_apart(by_hip(), "-g");
}

TEST_P(CompilationDir, OutsideOfTheBuildDirectoriesIsShared) {
  for (const std::string option : kOptions) {
    for (const char* directory : {"/elsewhere", ".", "PARENT", "PARENT/src"}) {
      expect_shared(by_clang(scratch_ / "src/a.c"), "-g " + option + directory);
      expect_shared(by_hip(), "-g " + option + directory);
    }
  }
}

TEST_P(CompilationDir, OfTheSameRelativeNameIsShared) {
  expect_shared(by_clang("../src/a.c"), "-g -fdebug-compilation-dir=. -IBUILD/generated");
  expect_shared(by_clang("../src/made.c"), "-g -fdebug-compilation-dir=. -Igenerated");
}

TEST_P(CompilationDir, ThatIsTheBuildDirectoryTies) {
  for (const std::string option : kOptions) {
    expect_apart(by_clang(scratch_ / "src/a.c"), "-g " + option + "BUILD");
    expect_apart(by_hip(), "-g " + option + "BUILD/below");
  }
}

// The object has "one/generated/made.h", and not the name of the build directory.
TEST_P(CompilationDir, AboveOrBesideTheBuildDirectoryTiesWhatReadsAGeneratedHeader) {
  for (const std::string option : kOptions)
    for (const char* directory : {"PARENT", "PARENT/", "PARENT/src", "PARENT/nowhere"})
      expect_apart(by_clang(scratch_ / "src/made.c"), "-g -IBUILD/generated " + option + directory);
  expect_apart(by_clang(scratch_ / "src/made.c"), "-g -IBUILD/generated -Xclang -fdebug-compilation-dir=PARENT");
}

TEST_P(CompilationDir, AboveOrBesideTheBuildDirectoryTiesWhatTheHostReads) {
  write_kernel(scratch_, "src/a.hip", "#include <made.h>\nint more(int x) { return made(x); }\n");
  for (const char* directory : {"PARENT", "PARENT/nowhere"})
    expect_apart(by_hip(), "-g -IBUILD/generated -fdebug-compilation-dir=" + std::string(directory));
}

TEST_P(CompilationDir, IsNothingWithoutDebugInformation) {
  const std::string id = "-cuid=0123456789abcdef ";
  compile("one", by_hip(), id);
  for (const std::string option : kOptions)
    for (const char* directory : {"BUILD", "PARENT"})
      for (const char* build : {"one", "two"})
        EXPECT_EQ(steps_run(compile(build, by_hip(), id + option + directory)), 0) << option << directory;
}

// Coverage maps are compressed, so no search finds a name in them.
TEST_P(CompilationDir, OfCoverageTies) {
  const std::string coverage = "-fprofile-instr-generate -fcoverage-mapping -fcoverage-compilation-dir=";
  for (const char* directory : {"/elsewhere", "BUILD", "PARENT"}) {
    const std::string flags = coverage + directory;
    expect_apart(by_clang(scratch_ / "src/made.c"), "-IBUILD/generated " + flags);
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, CompilationDir, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
