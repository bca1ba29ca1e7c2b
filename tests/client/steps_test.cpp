// The steps that the daemon has the client run, and what is left of them when something goes wrong on the way.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "client/fake_daemon.h"
#include "client/launch_fixture.h"

namespace hipcache::client {
namespace {

using namespace std::chrono_literals;
using protocol::Channel;
using protocol::CompileRequest;
using protocol::Finish;
using protocol::RunStep;
using protocol::StepDone;
using support::exists;
using support::read_bytes;
using testing::HasSubstr;

class Steps : public LaunchTest {
 protected:
  Steps() { scratch.make_directory("cache/tmp/r1"); }

  std::string directory() const { return cache() + "/tmp/r1"; }

  // A step that runs these shell commands one after the other.
  RunStep step(std::uint32_t number, const std::vector<std::string>& commands) const {
    RunStep step;
    step.step = number;
    step.directory = directory();
    for (const std::string& command : commands) step.commands.push_back({"/bin/sh", {"sh", "-c", command}});
    step.trace_path = directory() + "/trace";
    step.stdout_path = directory() + "/out" + std::to_string(number);
    step.stderr_path = directory() + "/err" + std::to_string(number);
    return step;
  }

  // Has the client run the step, and returns its report.
  StepDone report_of(const RunStep& step, const std::vector<std::string>& variables = {}) {
    StepDone report;
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              EXPECT_TRUE(channel.send(step, 10s));
                              report = expect<StepDone>(channel);
                              EXPECT_TRUE(channel.send(Finish{}, 10s));
                            }});
    EXPECT_EQ(compile(variables).exit_code, 0);
    EXPECT_EQ(compiler_runs(), 0);
    return report;
  }

  static void wait_for_file(const std::string& path) {
    while (!exists(path)) std::this_thread::yield();
  }
};

TEST_F(Steps, RunInOrderAndPrintIntoTheirFiles) {
  const StepDone report = report_of(step(3, {"echo one; echo first >&2", "echo two; cat"}));
  EXPECT_EQ(report.step, 3u);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.spawn_error, "");
  EXPECT_GT(report.started_ns, 0u);
  EXPECT_EQ(read_bytes(directory() + "/out3"), "one\ntwo\n");
  EXPECT_EQ(read_bytes(directory() + "/err3"), "first\n");
}

TEST_F(Steps, StopAtTheFirstCommandThatFails) {
  const StepDone report = report_of(step(1, {"echo one", "exit 9", "echo three"}));
  EXPECT_EQ(report.exit_code, 9);
  EXPECT_EQ(report.failed_command, 1u);
  EXPECT_EQ(read_bytes(directory() + "/out1"), "one\n");
}

TEST_F(Steps, ReportACommandThatASignalEnded) {
  EXPECT_EQ(report_of(step(1, {"kill -SEGV $$"})).exit_code, 128 + SIGSEGV);
}

TEST_F(Steps, ReportACommandThatCannotBeStarted) {
  RunStep wanted = step(1, {"echo one"});
  wanted.commands.push_back({scratch / "absent", {"absent"}});
  const StepDone report = report_of(wanted);
  EXPECT_EQ(report.failed_command, 1u);
  EXPECT_THAT(report.spawn_error, HasSubstr("cannot start " + (scratch / "absent")));
}

TEST_F(Steps, GetTheUsersEnvironmentWithTheTraceAndTheTemporaryDirectory) {
  RunStep wanted = step(1, {"echo \"$TMPDIR $CPATH $HIPCACHE_TRACE ${LD_PRELOAD-none}\""});
  report_of(wanted, {"TMPDIR=/tmp", "CPATH=/inc"});
  EXPECT_EQ(read_bytes(directory() + "/out1"), directory() + " /inc  none\n") << "nothing is traced without a library";
}

TEST_F(Steps, ChainALibraryThatIsPreloadedAlready) {
  RunStep wanted = step(1, {"echo \"$HIPCACHE_TRACE $LD_PRELOAD\""});
  wanted.trace_library = "/absent/libtrace.so";
  report_of(wanted, {"LD_PRELOAD=/absent/libfakeroot.so"});
  EXPECT_EQ(read_bytes(directory() + "/out1"), directory() + "/trace /absent/libtrace.so:/absent/libfakeroot.so\n");
}

TEST_F(Steps, MayBeMoreThanThreadsIfTheyFollowEachOther) {
  constexpr std::uint32_t kMany = 300;
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            expect<CompileRequest>(channel);
                            for (std::uint32_t number = 0; number < kMany; ++number) {
                              EXPECT_TRUE(channel.send(step(number, {":"}), 10s));
                              EXPECT_EQ(expect<StepDone>(channel).spawn_error, "");
                            }
                            EXPECT_TRUE(channel.send(Finish{}, 10s));
                          }});
  EXPECT_EQ(compile().exit_code, 0);
}

TEST_F(Steps, RunSideBySide) {
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            expect<CompileRequest>(channel);
                            // Each ends only when the other has begun.
                            const std::string pipe = directory() + "/pipe";
                            EXPECT_TRUE(channel.send(step(1, {"mkfifo " + pipe + " && echo met > " + pipe}), 10s));
                            wait_for_file(pipe);
                            EXPECT_TRUE(channel.send(step(2, {"cat " + pipe}), 10s));
                            expect<StepDone>(channel);
                            expect<StepDone>(channel);
                            EXPECT_TRUE(channel.send(Finish{}, 10s));
                          }});
  EXPECT_EQ(compile().exit_code, 0);
  EXPECT_EQ(read_bytes(directory() + "/out2"), "met\n");
}

TEST_F(Steps, AreKilledAndClearedAwayWhenTheDaemonDiesAndTheCompilerRuns) {
  pid_t child = 0;
  {
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              const std::string number = scratch / "pid";
                              const std::string command =
                                  "echo $$ > " + number + ".new; mv " + number + ".new " + number + "; exec sleep 1000";
                              EXPECT_TRUE(channel.send(step(1, {command}), 10s));
                              wait_for_file(number);
                              child = std::stoi(read_bytes(number));
                            }});
    expect_compiled_by_the_compiler(compile());
  }
  EXPECT_EQ(kill(child, 0), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_FALSE(exists(directory()));
  EXPECT_TRUE(exists(cache() + "/tmp"));
}

TEST_F(Steps, AreKilledWhenTheDaemonEndsTheRequestBeforeThem) {
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            expect<CompileRequest>(channel);
                            EXPECT_TRUE(channel.send(step(1, {"exec sleep 1000"}), 10s));
                            EXPECT_TRUE(channel.send(Finish{}, 10s));
                          }});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Steps, ThatIgnoreSigtermAreKilledWithAllThatTheyStarted) {
  std::string children;
  {
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              const std::string list = scratch / "children";
                              EXPECT_TRUE(channel.send(step(1, {"trap '' TERM; sleep 1000 & echo $$ $! > " + list +
                                                                ".new; mv " + list + ".new " + list + "; wait"}),
                                                       10s));
                              wait_for_file(list);
                              children = read_bytes(list);
                            }});
    expect_compiled_by_the_compiler(compile());
  }
  std::istringstream numbers(children);
  pid_t shell = 0;
  pid_t started_by_it = 0;
  ASSERT_TRUE(numbers >> shell >> started_by_it);
  EXPECT_EQ(kill(shell, 0), -1);
  EXPECT_EQ(kill(started_by_it, 0), -1);
}

TEST_F(Steps, WithoutACommandAreNotUnderstoodAndTheCompilerRuns) {
  const FakeDaemon daemon(cache(), {answer(step(1, {}))});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Steps, NeverMakeTheClientRemoveADirectoryThatIsNotTheDaemonsOwn) {
  const std::string precious = scratch.write("precious/file", "");
  RunStep wanted = step(1, {"true"});
  wanted.directory = scratch / "precious";
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            expect<CompileRequest>(channel);
                            EXPECT_TRUE(channel.send(wanted, 10s));
                            expect<StepDone>(channel);
                          }});
  expect_compiled_by_the_compiler(compile());
  EXPECT_TRUE(exists(precious));
}

}  // namespace
}  // namespace hipcache::client
