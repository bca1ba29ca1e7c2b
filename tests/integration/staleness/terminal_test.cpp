// Standard error is a terminal or a pipe: an input of compiles that print something, and of no others.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"
#include "integration/staleness/support/terminal.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class TerminalStaleness : public Staleness {
 protected:
  // Runs through hipcache at a terminal. The caller compares the outputs with those of a pipe.
  Counts at_terminal(const Arguments& argv, const Variables& variables = {}) {
    const Counts before = cache_.counts();
    Variables all = cache_.variables(variables);
    all.try_emplace("PWD", project_.path());
    shown_ = Terminal().run(Arguments{hipcache_program()} + argv, project_.path(), all);
    EXPECT_EQ(shown_.exit_code, 0) << shown_.terminal;
    return cache_.counts() - before;
  }

  void expect_hit_at_terminal(const Arguments& argv, const Variables& variables = {}) {
    const std::string object = support::read_bytes(project_ / "a.o");
    fs::remove(project_ / "a.o");
    const Counts counted = at_terminal(argv, variables);
    EXPECT_EQ(counted.hits, 1) << counted.json.dump();
    EXPECT_EQ(steps_in(counted), 0);
    EXPECT_TRUE(support::read_bytes(project_ / "a.o") == object);
    EXPECT_EQ(shown_.terminal, "");
  }

  static std::int64_t steps_in(const Counts& counted) {
    return counted.run.at("device") + counted.run.at("bundle") + counted.run.at("host") + counted.run.at("probe");
  }

  std::vector<Arguments> opaque_compiles() const {
    return {{GetParam().program(), "-O1", "-g", "-MD", "-c", "a.cpp", "-o", "a.o"},
            words("g++ -O1 -g -MD -c a.cpp -o a.o")};
  }

  Shown shown_;
};

TEST_P(TerminalStaleness, ASilentHipCompileIsAHitAtATerminalAndInAPipe) {
  warm(command());
  expect_hit_at_terminal(command());
  expect_hit_at_terminal(command(), {{"TERM", "xterm-256color"}, {"COLUMNS", "100"}});
  write_kernel(project_, "a.hip", "__device__ int edited = 1;\n");
  EXPECT_GT(steps_in(at_terminal(command(), {{"TERM", "xterm-256color"}})), 0);
  expect_hit(command());
  expect_hit(command(), {{"TERM", "dumb"}, {"NO_COLOR", "1"}});
}

TEST_P(TerminalStaleness, ASilentOpaqueCompileIsAHitAtATerminalAndInAPipe) {
  for (const Arguments& argv : opaque_compiles()) {
    SCOPED_TRACE(argv[0]);
    project_.write("a.cpp", "int one() { return 1; }\n");
    check(argv);
    expect_hit_at_terminal(argv);
    expect_hit_at_terminal(argv, {{"TERM", "xterm-256color"}, {"GCC_COLORS", "error=01;31"}});
    project_.write("a.cpp", "int two() { return 2; }\n");
    EXPECT_EQ(at_terminal(argv, {{"TERM", "xterm-256color"}}).run.at("host"), 1);
    EXPECT_EQ(check(argv, {{"TERM", "dumb"}, {"GCC_URLS", "no"}}).hits, 1);
  }
}

TEST_P(TerminalStaleness, WarningsAreInColourAtATerminalAndPlainInAPipe) {
  project_.write("a.cpp", "#warning \"look here\"\nint one() { return 1; }\n");
  const Variables colours{{"TERM", "xterm-256color"}};
  for (const Arguments& argv : opaque_compiles()) {
    SCOPED_TRACE(argv[0]);
    check(argv, colours);
    EXPECT_EQ(at_terminal(argv, colours).run.at("host"), 1);
    EXPECT_NE(shown_.terminal.find("\x1b["), std::string::npos) << shown_.terminal;
    const std::string first = shown_.terminal;
    EXPECT_EQ(at_terminal(argv, colours).hits, 1);
    EXPECT_EQ(shown_.terminal, first);
    EXPECT_EQ(check(argv, colours).hits, 1);
  }
}

TEST_P(TerminalStaleness, WarningsOfAHipCompileAreInColourAtATerminalAndPlainInAPipe) {
  write_kernel(project_, "a.hip", "#ifndef __HIP_DEVICE_COMPILE__\n#warning \"look here\"\n#endif\n");
  warm(command());
  const Counts counted = at_terminal(command());
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_EQ(counted.run.at("device"), 0) << "the devices have nothing to say";
  EXPECT_NE(shown_.terminal.find("\x1b["), std::string::npos) << shown_.terminal;
  const std::string first = shown_.terminal;
  EXPECT_EQ(at_terminal(command()).hits, 1);
  EXPECT_EQ(shown_.terminal, first);
  expect_hit(command());
}

TEST_P(TerminalStaleness, ACompilationDatabaseIsCachedAndHasTheCommandAsItWasTyped) {
  project_.write("a.cpp", "int one() { return 1; }\n");
  for (const std::string option : {"-MJ a.json", "-MJa.json"}) {
    const Arguments argv = Arguments{GetParam().program()} + words(option + " -c a.cpp -o a.o");
    EXPECT_EQ(run(argv, project_.path()).exit_code, 0);
    const std::string expected = support::read_bytes(project_ / "a.json");
    for (int time = 0; time < 2; ++time) {
      fs::remove(project_ / "a.json");
      EXPECT_EQ(at_terminal(argv).hits, time);
      EXPECT_EQ(support::read_bytes(project_ / "a.json"), expected);
    }
  }
}

// A precompiled header contains the choice of colours.
TEST_P(TerminalStaleness, APrecompiledHeaderIsMadeForATerminalOrForAPipe) {
  project_.write("a.h", "inline int one() { return 1; }\n");
  const Arguments argv{GetParam().program(), "-Xclang", "-fno-pch-timestamp", "-x", "c++-header", "a.h", "-o", "a.pch"};
  check(argv);
  EXPECT_EQ(check(argv).hits, 1);
  EXPECT_EQ(at_terminal(argv).hits, 0);
  EXPECT_EQ(check(argv).hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, TerminalStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
