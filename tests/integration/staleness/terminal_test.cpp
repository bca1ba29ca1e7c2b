// Standard error is a terminal or a pipe: an input of compiles that print something, and of no others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "integration/staleness/support/staleness.h"

extern char** environ;

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

struct Shown {
  int exit_code = -1;
  std::string text;
};

// A pseudo terminal for one test.
class Terminal {
 public:
  Terminal() : ours_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_TRUE(ours_ && grantpt(ours_.get()) == 0 && unlockpt(ours_.get()) == 0);
    theirs_ = UniqueFd(open(ptsname(ours_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    EXPECT_TRUE(static_cast<bool>(theirs_));
  }

  // REQUIRES: the program prints less than the terminal holds, some 4 KiB.
  Shown run(const Arguments& argv, const std::string& directory, const Variables& variables) const {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (!variables.contains(std::string(*entry).substr(0, std::string(*entry).find('='))))
        environment.push_back(*entry);
    for (const auto& [name, value] : variables)
      if (!value.empty()) environment.push_back(name + "=" + value);
    const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    const Result<pid_t> pid = spawn({.program = "/usr/bin/env",
                                     .argv = Arguments{"env", "-C", directory} + argv,
                                     .environment = environment,
                                     .stdin_fd = null.get(),
                                     .stdout_fd = theirs_.get(),
                                     .stderr_fd = theirs_.get()});
    EXPECT_TRUE(pid.ok());
    if (!pid) return {};
    const Result<ExitStatus> ended = wait_for(*pid);
    return {ended ? ended->exit_code : -1, printed()};
  }

 private:
  std::string printed() const {
    std::string text;
    for (pollfd ready{ours_.get(), POLLIN, 0}; poll(&ready, 1, 0) == 1;) {
      char bytes[4096];
      const ssize_t got = read(ours_.get(), bytes, sizeof bytes);
      if (got <= 0) break;
      text.append(bytes, static_cast<std::size_t>(got));
    }
    return text;
  }

  UniqueFd ours_, theirs_;
};

class TerminalStaleness : public Staleness {
 protected:
  // Runs through hipcache at a terminal. The caller compares the outputs with those of a pipe.
  Counts at_terminal(const Arguments& argv, const Variables& variables = {}) {
    const Counts before = cache_.counts();
    Variables all = cache_.variables(variables);
    all.try_emplace("PWD", project_.path());
    shown_ = Terminal().run(Arguments{hipcache_program()} + argv, project_.path(), all);
    EXPECT_EQ(shown_.exit_code, 0) << shown_.text;
    return cache_.counts() - before;
  }

  void expect_hit_at_terminal(const Arguments& argv, const Variables& variables = {}) {
    const std::string object = support::read_bytes(project_ / "a.o");
    fs::remove(project_ / "a.o");
    const Counts counted = at_terminal(argv, variables);
    EXPECT_EQ(counted.hits, 1) << counted.json.dump();
    EXPECT_EQ(steps_in(counted), 0);
    EXPECT_TRUE(support::read_bytes(project_ / "a.o") == object);
    EXPECT_EQ(shown_.text, "");
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
  write_kernel(project_, "a.hip", "// edited\n__device__ int edited = 1;\n");
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
    EXPECT_NE(shown_.text.find("\x1b["), std::string::npos) << shown_.text;
    const std::string first = shown_.text;
    EXPECT_EQ(at_terminal(argv, colours).hits, 1);
    EXPECT_EQ(shown_.text, first);
    EXPECT_EQ(check(argv, colours).hits, 1);
  }
}

TEST_P(TerminalStaleness, WarningsOfAHipCompileAreInColourAtATerminalAndPlainInAPipe) {
  write_kernel(project_, "a.hip", "#ifndef __HIP_DEVICE_COMPILE__\n#warning \"look here\"\n#endif\n");
  warm(command());
  const Counts counted = at_terminal(command());
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_EQ(counted.run.at("device"), 0) << "the devices have nothing to say";
  EXPECT_NE(shown_.text.find("\x1b["), std::string::npos) << shown_.text;
  const std::string first = shown_.text;
  EXPECT_EQ(at_terminal(command()).hits, 1);
  EXPECT_EQ(shown_.text, first);
  expect_hit(command());
}

// hipcache adds an option for coloured messages. It must not appear in the user's compilation database.
TEST_P(TerminalStaleness, ACompilationDatabaseHasTheCommandAsItWasTyped) {
  project_.write("a.cpp", "int one() { return 1; }\n");
  for (const std::string option : {"-MJ a.json", "-MJa.json"}) {
    const Arguments argv = Arguments{GetParam().program()} + words(option + " -c a.cpp -o a.o");
    EXPECT_EQ(run(argv, project_.path()).exit_code, 0);
    const std::string expected = support::read_bytes(project_ / "a.json");
    for (int time = 0; time < 2; ++time) {
      fs::remove(project_ / "a.json");
      const Counts counted = at_terminal(argv);
      EXPECT_EQ(counted.passed, 1) << counted.json.dump();
      EXPECT_EQ(counted.reasons.at("compilation-database"), 1);
      EXPECT_EQ(support::read_bytes(project_ / "a.json"), expected);
    }
    check(argv);
    EXPECT_EQ(check(argv).hits, 1);
    EXPECT_EQ(support::read_bytes(project_ / "a.json"), expected);
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
