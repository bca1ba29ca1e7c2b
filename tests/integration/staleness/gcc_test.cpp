// What gcc runs and loads: the compiler proper, the assembler, their libraries, its specs; how they are found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/staleness/toolchain.h"
#include "integration/whole_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

std::string asked_of_gcc(const std::string& what) {
  const std::string answer = run({"g++", what}, "/").out;
  return answer.substr(0, answer.find('\n'));
}

class GccStaleness : public WholeCompile, public testing::Test {
 protected:
  GccStaleness() {
    project_.write("a.cpp", "int one() { return 1; }\n");
    copy("/usr/bin/as", "as");
  }

  void copy(const std::string& from, const std::string& name) const {
    fs::copy_file(fs::canonical(from), tools_ / name, fs::copy_options::overwrite_existing);
  }
  void copy_compiler_proper(const std::string& name) const { copy(asked_of_gcc("-print-prog-name=cc1plus"), name); }

  // A byte more at the end: another file, and one that runs as before.
  void append_byte(const std::string& name) const { std::ofstream(tools_ / name, std::ios::app) << '\0'; }

  // gcc with tools of the test's own, as far as there are any.
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
  const std::string script = project_.write("g++", "#!/bin/sh\nexec /usr/bin/g++ -DONE=1 \"$@\"\n");
  fs::permissions(script, fs::perms::owner_all);
  expect_run_then_hit(command("./g++"));
  project_.write("g++", "#!/bin/sh\nexec /usr/bin/g++ -DONE=2 \"$@\"\n");
  expect_run_then_hit(command("./g++"));
}

TEST_F(GccStaleness, ItsSpecsAreAnInput) {
  tools_.write("one.specs", "*cc1plus:\n+ -DONE=1\n\n");
  project_.write("a.cpp", "int one() { return ONE; }\n");
  expect_run_then_hit(command() + Arguments{"-specs=" + (tools_ / "one.specs")});
  tools_.write("one.specs", "*cc1plus:\n+ -DONE=2\n\n");
  expect_run_then_hit(command() + Arguments{"-specs=" + (tools_ / "one.specs")});
}

}  // namespace
}  // namespace hipcache::integration
