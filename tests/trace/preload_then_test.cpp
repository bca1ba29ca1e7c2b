// Several commands in one start of a program (src/trace/preload/then.c): their order, how they end, what they print,
// what each of them leaves in which trace, and that no process stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/comes_true.h"
#include "trace/traced.h"

namespace hipcache::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

constexpr const char* kMark = "\x01then\x01";
constexpr int kCannotStart = 126;

class Then : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"one", "two", "three"}) traced_.scratch.write(name, "");
  }

  // argv of the two commands of the program, and of the third, which is another one.
  Words command(const Words& first, const Words& second, const Words& third = {"/bin/true", "true"}) const {
    Words argv{program_};
    argv.insert(argv.end(), first.begin(), first.end());
    argv.insert(argv.end(), {kMark, program_});
    argv.insert(argv.end(), second.begin(), second.end());
    argv.emplace_back(kMark);
    argv.insert(argv.end(), third.begin(), third.end());
    return argv;
  }
  ExitStatus run(const Words& first, const Words& second, const Words& third = {"/bin/true", "true"}) {
    return traced_.run(command(first, second, third));
  }

  bool exists(const std::string& name) const { return support::exists(traced_.scratch / name); }
  std::string text(const std::string& name) const {
    return exists(name) ? support::read_bytes(traced_.scratch / name) : "";
  }
  // Of the second command and the third.
  Trace second_trace() const {
    const Result<Trace> read = read_trace(text("trace.then"));
    EXPECT_TRUE(read.ok());
    return read.ok() ? *read : Trace{};
  }
  static bool reads(const Trace& trace, const std::string& name) {
    return std::any_of(trace.records.begin(), trace.records.end(), [&](const Record& record) {
      return record.kind == Kind::open_read && record.found && record.text == name;
    });
  }

  const std::string program_ = test_program("trace_then");
  Traced traced_;
};

TEST_F(Then, TheCommandsRunOneAfterTheOther) {
  EXPECT_EQ(run({"append", "log", "first"}, {"append", "log", "second"}, {"/bin/cp", "cp", "log", "copy"}).exit_code,
            0);
  EXPECT_EQ(text("copy"), "first\nsecond\n");
}

TEST_F(Then, EachTraceHasWhatItsOwnCommandsReadAndBothWhatWasReadBeforeMain) {
  EXPECT_EQ(run({"read", "one"}, {"read", "two"}, {"/bin/cat", "cat", "three"}).exit_code, 0);
  EXPECT_TRUE(reads(traced_.trace, "one"));
  EXPECT_FALSE(reads(traced_.trace, "two"));
  EXPECT_THAT(traced_.trace.programs, ElementsAre(program_));
  EXPECT_EQ(traced_.trace.ends, 1U);

  const Trace second = second_trace();
  EXPECT_FALSE(reads(second, "one"));
  EXPECT_TRUE(reads(second, "two"));
  EXPECT_TRUE(reads(second, "three"));
  EXPECT_THAT(second.programs, ElementsAre(program_, std::filesystem::canonical("/bin/cat").string()));
  EXPECT_EQ(second.ends, 2U);
  const auto libraries = [](const Trace& trace) {
    std::vector<std::string> all;
    for (const Record& record : trace.records)
      if (record.kind == Kind::library) all.push_back(record.text);
    return all;
  };
  EXPECT_THAT(libraries(traced_.trace), testing::Not(IsEmpty()));
  EXPECT_THAT(libraries(second), testing::IsSupersetOf(libraries(traced_.trace)));
}

TEST_F(Then, WhatTheFirstPrintsIsTheProcesssAndWhatTheOthersPrintIsKeptApart) {
  EXPECT_EQ(run({"say", "first", "complain", "first aloud"}, {"say", "second", "complain", "second aloud"},
                {"/bin/echo", "echo", "third"})
                .exit_code,
            0);
  EXPECT_THAT(traced_.output, HasSubstr("first\n"));
  EXPECT_THAT(traced_.output, HasSubstr("first aloud\n"));
  EXPECT_THAT(traced_.output, testing::Not(HasSubstr("second")));
  for (const char* said : {"second\n", "second aloud\n", "third\n"}) EXPECT_THAT(text("trace.said"), HasSubstr(said));
  EXPECT_THAT(text("trace.said"), testing::Not(HasSubstr("first")));
}

TEST_F(Then, AFirstCommandThatFailsIsHowTheProcessEndsAndNothingRunsAfterIt) {
  EXPECT_EQ(
      run({"say", "an error", "exit", "3"}, {"append", "log", "second"}, {"/bin/touch", "touch", "third"}).exit_code,
      3);
  EXPECT_EQ(traced_.output, "an error\n");
  EXPECT_EQ(traced_.trace.ends, 1U) << "a failure in order";
  for (const char* file : {"log", "third", "trace.first", "trace.said"}) EXPECT_FALSE(exists(file)) << file;
}

TEST_F(Then, ASecondCommandThatFailsIsHowTheProcessEndsAndTheThirdDoesNotRun) {
  EXPECT_EQ(run({"append", "log", "first"}, {"exit", "5"}, {"/bin/touch", "touch", "third"}).exit_code, 5);
  EXPECT_EQ(text("log"), "first\n");
  EXPECT_FALSE(exists("third"));
  EXPECT_TRUE(exists("trace.first")) << "the first has succeeded";
}

TEST_F(Then, AThirdProgramsExitCodeIsTheProcesss) {
  EXPECT_EQ(run({}, {}, {"/bin/sh", "sh", "-c", "exit 7"}).exit_code, 7);
}

TEST_F(Then, ASignalThatEndsACommandEndsTheProcess) {
  for (const int number : {SIGABRT, SIGSEGV, SIGKILL, SIGXCPU, SIGXFSZ}) {
    const Words raising{"raise", std::to_string(number)};
    EXPECT_EQ(run(raising, {"append", "log", "second"}).signal, number);
    EXPECT_EQ(traced_.trace.ends, 0U);
    EXPECT_FALSE(exists("log"));
    EXPECT_EQ(run({}, raising, {"/bin/touch", "touch", "third"}).signal, number);
    EXPECT_EQ(second_trace().ends, 0U);
    EXPECT_FALSE(exists("third"));
    for (const char* name : {"trace.then", "trace.said", "trace.first"})
      std::filesystem::remove(traced_.scratch / name);
  }
}

TEST_F(Then, TheFirstsProcessorTimeIsNoted) {
  EXPECT_EQ(run({}, {}).exit_code, 0);
  EXPECT_GE(std::stoll(text("trace.first")), 0);
  EXPECT_LT(std::stoll(text("trace.first")), 10'000'000) << "microseconds";
}

TEST_F(Then, BothHaveTheUsersEnvironmentAndNothingOfEachOther) {
  traced_.changes["TRACE_TEST_SET"] = "a value";
  const Words tell{"tell", "TRACE_TEST_SET", "told", "tell", "TRACE_TEST_OTHER", "told"};
  Words first = tell;
  first.insert(first.end(), {"set", "TRACE_TEST_OTHER", "from the first", "set", "TRACE_TEST_SET", "changed"});
  EXPECT_EQ(run(first, tell).exit_code, 0);
  EXPECT_EQ(text("told"), "a value\nunset\na value\nunset\n");
}

TEST_F(Then, BothHaveTheUsersLimits) {
  std::string line =
      "ulimit -S -s 4096 && ulimit -S -t 100 && ulimit -S -f 2048 && exec env LD_PRELOAD=" + preload_library() +
      " HIPCACHE_TRACE=" + (traced_.scratch / "trace");
  for (const std::string& word : command({"limit", "limits"}, {"limit", "limits"})) line += " '" + word + "'";
  EXPECT_EQ(traced_.run_untraced({"bash", "-c", line}).exit_code, 0) << traced_.output;
  const std::string limits = "4194304\n100\n2097152\n";
  EXPECT_EQ(text("limits"), limits + limits);
}

TEST_F(Then, WithoutAMarkAProgramStartsAsItWould) {
  EXPECT_EQ(traced_.run({program_, "append", "log", "alone"}).exit_code, 0);
  EXPECT_EQ(text("log"), "alone\n");
  EXPECT_FALSE(exists("trace.then"));
}

TEST_F(Then, WhatCannotBeStartedSoRunsNothing) {
  EXPECT_EQ(traced_.run({program_, "append", "log", "first", kMark, program_, "append", "log", "second"}).exit_code,
            kCannotStart)
      << "no third command";
  EXPECT_FALSE(exists("log"));
  traced_.changes["HIPCACHE_TRACE"] = "";
  EXPECT_EQ(run({"append", "log", "first"}, {"append", "log", "second"}).exit_code, kCannotStart) << "no trace";
  EXPECT_FALSE(exists("log"));
}

TEST_F(Then, ThereMayBeMoreCommandsAndNoProgramAtTheEnd) {
  const auto run_three = [&](const char* second) {
    return traced_
        .run({program_, "append", "log", "first", kMark, program_, "append", "log", "second", "exit", second, kMark,
              program_, "append", "log", "third", kMark})
        .exit_code;
  };
  EXPECT_EQ(run_three("0"), 0);
  EXPECT_EQ(text("log"), "first\nsecond\nthird\n");
  std::filesystem::remove(traced_.scratch / "log");
  EXPECT_EQ(run_three("7"), 7);
  EXPECT_EQ(text("log"), "first\nsecond\n");
}

TEST_F(Then, AThirdProgramThatIsNotThereIsAFailure) {
  EXPECT_EQ(run({}, {}, {traced_.scratch / "absent", "absent"}).exit_code, kCannotStart);
}

// A client that is interrupted ends the process that it started, and knows of no other.
TEST_F(Then, ACommandEndsWithTheProcess) {
  for (const bool in_first : {true, false}) {
    SCOPED_TRACE(in_first);
    std::filesystem::remove(traced_.scratch / "child");
    const Words waiting{"wait", "child"};
    std::string line = "env LD_PRELOAD=" + preload_library() + " HIPCACHE_TRACE=" + (traced_.scratch / "trace");
    for (const std::string& word : in_first ? command(waiting, {}) : command({}, waiting)) line += " '" + word + "'";
    line += " & process=$!; until [ -s child ]; do sleep 0.01; done; kill -TERM $process; wait $process";
    EXPECT_EQ(traced_.run_untraced({"bash", "-c", line}).exit_code, 128 + SIGTERM) << traced_.output;
    const std::string status = "/proc/" + std::to_string(std::stol(text("child"))) + "/stat";
    const auto has_ended = [&] {
      std::string state;
      return !std::getline(std::ifstream(status), state) || state.find(") Z ") != std::string::npos;
    };
    EXPECT_TRUE(support::comes_true(has_ended));
  }
}

}  // namespace
}  // namespace hipcache::trace
