// What objects contain besides code: line numbers and names of directories.
#include <gtest/gtest.h>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

class DebugInfoStaleness : public Staleness {
 protected:
  void insert_blank_lines() const { project_.write("a.hip", "\n\n\n" + support::read_bytes(project_ / "a.hip")); }
};

TEST_P(DebugInfoStaleness, BlankLinesMoveTheLinesOfDebugInformation) {
  for (const char* flags : {"-O1 -g", "-O0 -gline-tables-only"}) {
    warm(command(flags));
    insert_blank_lines();
    expect_runs({.device = 2, .bundle = 1, .host = 1}, command(flags));
  }
}

TEST_P(DebugInfoStaleness, BlankLinesRunNothingWithoutDebugInformation) {
  warm(command());
  insert_blank_lines();
  expect_hit(command());
}

TEST_P(DebugInfoStaleness, BlankLinesMoveTheLinesThatASourceNames) {
  write_kernel(project_, "a.hip", "__attribute__((used)) __device__ int line = __LINE__;\n");
  warm(command());
  insert_blank_lines();
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
}

TEST_P(DebugInfoStaleness, BlankLinesMoveTheLinesOfMessages) {
  write_kernel(project_, "a.hip", "#warning \"here\"\n");
  warm(command());
  insert_blank_lines();
  expect_runs({.device = 2, .host = 1}, command());
}

// The mapped names reach debug information, or a source's own name in it. The id is given, because hipcache's would
// differ with any argument.
TEST_P(DebugInfoStaleness, AnotherMapOfDirectoriesIsAnotherCompile) {
  write_kernel(project_, "a.hip", "__attribute__((used)) __device__ const char name[] = __FILE__;\n");
  const std::string source = project_ / "a.hip";
  for (const std::string map : {"-ffile-prefix-map=", "-fdebug-prefix-map=", "-fmacro-prefix-map="}) {
    const auto mapped_to = [&](const std::string& name) {
      Arguments argv = command("-O1 -g -cuid=0123456789abcdef " + map + project_.path() + "=" + name);
      for (std::string& argument : argv)
        if (argument == "a.hip") argument = source;
      return argv;
    };
    warm(mapped_to("/one"));
    expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 1}, mapped_to("/two"));
    expect_hit(mapped_to("/one"));
  }
}

TEST_P(DebugInfoStaleness, AnotherDirectoryOfCompilationIsAnotherCompileWithDebugInformation) {
  const std::string flags = "-cuid=0123456789abcdef -fdebug-compilation-dir=";
  warm(command("-O1 -g " + flags + "/one"));
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 1}, command("-O1 -g " + flags + "/two"));
}

TEST_P(DebugInfoStaleness, AnotherDirectoryOfCompilationIsNothingNewWithoutDebugInformation) {
  const std::string flags = "-cuid=0123456789abcdef -fdebug-compilation-dir=";
  warm(command("-O1 " + flags + "/one"));
  expect_runs({.probe = 1}, command("-O1 " + flags + "/two"));
}

TEST_P(DebugInfoStaleness, AnotherSeedReachesNoStep) {
  warm(command("-O1 -cuid=0123456789abcdef -frandom-seed=one"));
  expect_runs({.probe = 1}, command("-O1 -cuid=0123456789abcdef -frandom-seed=two"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, DebugInfoStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
