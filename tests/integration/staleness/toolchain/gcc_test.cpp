// The programs and files that gcc runs and loads (compiler proper, assembler, libraries, specs), and how they are
// found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/staleness/support/toolchain.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

std::string asked_of_gcc(const std::string& what) {
  const std::string answer = run({"g++", what}, "/").out;
  return answer.substr(0, answer.find('\n'));
}

class GccStaleness : public OpaqueCompile, public testing::Test {
 protected:
  GccStaleness() {
    project_.write("a.cpp", "int one() { return 1; }\n");
    copy("/usr/bin/as", "as");
  }

  void copy(const std::string& from, const std::string& name) const {
    fs::copy_file(fs::canonical(from), tools_ / name, fs::copy_options::overwrite_existing);
  }
  void copy_compiler_proper(const std::string& name) const { copy(asked_of_gcc("-print-prog-name=cc1plus"), name); }

  // Appends one byte: a different file that still runs.
  void append_byte(const std::string& name) const { std::ofstream(tools_ / name, std::ios::app) << '\0'; }

  // gcc with the test's own tools, if there are any.
  Arguments command(const std::string& driver = "g++") const {
    return Arguments{driver, "-B" + tools_.path() + "/"} + words("-c a.cpp -o a.o");
  }

  void expect_run_then_hit(const Arguments& argv, const Variables& variables = {}) {
    expect_run(argv, variables);
    expect_hit(argv, variables);
  }

  support::Scratch tools_;
};

TEST_F(GccStaleness, AnotherAssemblerRuns) {
  expect_run_then_hit(command());
  append_byte("as");
  expect_run_then_hit(command());
  copy("/usr/bin/as", "as");
  expect_hit(command());
}

TEST_F(GccStaleness, AnotherCompilerProperRuns) {
  copy_compiler_proper("cc1plus");
  expect_run_then_hit(command());
  append_byte("cc1plus");
  expect_run_then_hit(command());
}

TEST_F(GccStaleness, ToolsInstalledAnewWithTheSameBytesAreTheSame) {
  expect_run(command());
  fs::rename(tools_ / "as", tools_ / "old");
  copy(tools_ / "old", "as");
  expect_hit(command());
}

TEST_F(GccStaleness, AToolThatAppearsBeforeTheOthersRuns) {
  expect_run(command());
  copy_compiler_proper("cc1plus");
  expect_run_then_hit(command());
  fs::remove(tools_ / "cc1plus");
  expect_hit(command());
}

TEST_F(GccStaleness, AToolFoundByAVariableIsAnInput) {
  const Arguments argv = words("g++ -c a.cpp -o a.o");
  const Variables path{{"COMPILER_PATH", tools_.path()}};
  expect_run(argv);
  expect_run_then_hit(argv, path);
  append_byte("as");
  expect_run(argv, path);
  expect_hit(argv);
}

TEST_F(GccStaleness, AnotherLibraryOfTheToolsRuns) {
  copy_library("libz.so.1", tools_.path());
  const Variables path{{"LD_LIBRARY_PATH", tools_.path()}};
  expect_run_then_hit(command(), path);
  append_byte("libz.so.1");
  expect_run_then_hit(command(), path);
}

TEST_F(GccStaleness, ADriverBehindARetargetedLinkIsAnother) {
  fs::create_symlink(asked_of_gcc("-print-prog-name=cc1plus"), tools_ / "cc1plus");
  project_.link("g++", "/usr/bin/g++");
  expect_run_then_hit(command("./g++"));
  copy("/usr/bin/g++", "g++");
  append_byte("g++");
  project_.link("g++", tools_ / "g++");
  expect_run_then_hit(command("./g++"));
}

TEST_F(GccStaleness, AScriptAroundItIsAnInput) {
  project_.write("a.cpp", "int one() { return ONE; }\n");
  const std::string script = project_.write("g++", "#!/bin/sh\nexec /usr/bin/g++ -DONE=1 \"$@\"\n");
  fs::permissions(script, fs::perms::owner_all);
  expect_run_then_hit(command("./g++"));
  project_.write("g++", "#!/bin/sh\nexec /usr/bin/g++ -DONE=2 \"$@\"\n");
  expect_run_then_hit(command("./g++"));
}

// A script may choose what it runs by anything.
TEST_F(GccStaleness, AToolThatIsAScriptIsNotStored) {
  fs::remove(tools_ / "as");
  tools_.write("as", "#!/bin/sh\n[ -s a.h ] && set -- --defsym X=1 \"$@\"\nexec /usr/bin/as \"$@\"\n");
  fs::permissions(tools_ / "as", fs::perms::owner_all);
  for (int time = 0; time < 2; ++time) EXPECT_EQ(check(command()).not_stored.at("compiler-is-a-wrapper"), 1);
}

TEST_F(GccStaleness, ItsSpecsAreAnInput) {
  tools_.write("one.specs", "*cc1plus:\n+ -DONE=1\n\n");
  project_.write("a.cpp", "int one() { return ONE; }\n");
  expect_run_then_hit(command() + Arguments{"-specs=" + (tools_ / "one.specs")});
  tools_.write("one.specs", "*cc1plus:\n+ -DONE=2\n\n");
  expect_run_then_hit(command() + Arguments{"-specs=" + (tools_ / "one.specs")});
}

// The directory for temporary files is no input, but a specs file may use its name.
TEST_F(GccStaleness, AVariableOfTemporaryFilesIsAnInputWhereSpecsAskForIt) {
  const Arguments plain = command();
  expect_run(plain, {{"TMP", project_.make_directory("one")}});
  expect_hit(plain, {{"TMP", project_.make_directory("two")}, {"TEMP", "/tmp"}, {"TMPDIR", project_ / "two"}});
  project_.write("one/include/value.h", "#define VALUE 1\n");
  project_.write("two/include/value.h", "#define VALUE 2\n");
  project_.write("a.cpp", "#include <value.h>\nint one() { return VALUE; }\n");
  project_.write("named.specs", "*cc1plus:\n+ -I%:getenv(TMP /include)\n\n");
  project_.write("outer", "%include <named.specs>\n\n");
  for (const char* name : {"named.specs", "outer"}) {
    for (const char* value : {"one", "two", "two"}) {
      const Counts counted = check(command() + Arguments{std::string("-specs=") + name}, {{"TMP", project_ / value}});
      EXPECT_EQ(counted.misses, 1);
      EXPECT_EQ(counted.not_stored.at("trace"), 1) << counted.json.dump();
    }
  }
}

TEST_F(GccStaleness, AVariableOfTheTerminalIsAnInputWhereSpecsAskForIt) {
  expect_run(command(), {{"COLUMNS", "80"}});
  expect_hit(command(), {{"COLUMNS", "90"}});
  project_.write("one/include/value.h", "#define VALUE 1\n");
  project_.write("two/include/value.h", "#define VALUE 2\n");
  project_.write("a.cpp", "#include <value.h>\nint one() { return VALUE; }\n");
  for (const std::string variable : {"COLUMNS", "TERM", "GCC_COLORS", "GCC_URLS"}) {
    project_.write("named.specs", "*cc1plus:\n+ -I%:getenv(" + variable + " /include)\n\n");
    for (const char* value : {"one", "two", "two"}) {
      const Counts counted = check(command() + words("-specs=named.specs"), {{variable, project_ / value}});
      EXPECT_EQ(counted.misses, 1) << variable;
      EXPECT_EQ(counted.not_stored.at("trace"), 1) << counted.json.dump();
    }
  }
}

TEST_F(GccStaleness, AVariableThatIsAnotherOneForStepsIsLeftToTheCompilerWhereSpecsAskForIt) {
  project_.write("one/include/value.h", "#define VALUE 1\n");
  project_.write("two/include/value.h", "#define VALUE 2\n");
  project_.write("a.cpp", "#include <value.h>\nint one() { return VALUE; }\n");
  project_.write("named.specs", "*cc1plus:\n+ -I%:getenv(TMPDIR /include)\n\n");
  for (const char* value : {"one", "two", "two"}) {
    const Counts counted = check(command() + words("-specs=named.specs"), {{"TMPDIR", project_ / value}});
    EXPECT_EQ(counted.passed, 1);
    EXPECT_TRUE(counted.reasons.contains("unsupported-option")) << counted.json.at("not_cached");
  }
}

TEST_F(GccStaleness, AnotherVariableThatSpecsAskForIsAnInput) {
  project_.write("one/include/value.h", "#define VALUE 1\n");
  project_.write("two/include/value.h", "#define VALUE 2\n");
  project_.write("a.cpp", "#include <value.h>\nint one() { return VALUE; }\n");
  project_.write("named.specs", "*cc1plus:\n+ -I%:getenv(PLACE /include)\n\n");
  const Arguments argv = command() + words("-specs=named.specs");
  expect_run_then_hit(argv, {{"PLACE", project_ / "one"}, {"TMP", project_ / "one"}});
  expect_run_then_hit(argv, {{"PLACE", project_ / "two"}, {"TMP", project_ / "one"}});
  expect_hit(argv, {{"PLACE", project_ / "one"}, {"TMP", project_ / "two"}});
}

}  // namespace
}  // namespace hipcache::integration
