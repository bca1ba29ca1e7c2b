// The steps that the daemon has the client run, and what is left of them when something goes wrong on the way.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <sstream>

#include "client/fake_daemon.h"
#include "client/launch_fixture.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"
#include "support/comes_true.h"

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
  Steps() { make_directories(directory(), 0700).ok(); }

  std::string directory() const { return protocol::daemon_directory(cache()) + "/tmp/r1"; }

  // A step that runs these shell commands one after the other.
  RunStep step(std::uint32_t number, const std::vector<std::string>& commands) const {
    RunStep step;
    step.step = number;
    step.directory = directory();
    for (const std::string& command : commands) step.commands.push_back({"/bin/sh", {"sh", "-c", command}});
    step.trace_path = directory() + "/trace";
    return step;
  }

  // Has the client run the step, and returns its report.
  StepDone report_of(const RunStep& step, const std::vector<std::string>& variables = {}) {
    Heard<StepDone> report;
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              EXPECT_TRUE(channel.send(step, 10s));
                              report.set(expect<StepDone>(channel));
                              EXPECT_TRUE(channel.send(Finish{}, 10s));
                            }});
    EXPECT_EQ(compile(variables).exit_code, 0);
    EXPECT_EQ(compiler_runs(), 0);
    return report.get();
  }

  // Whoever adopts a process that was killed may read its end later.
  static bool is_gone(pid_t process) {
    return support::comes_true([&] { return kill(process, 0) == -1 && errno == ESRCH; });
  }

  static void wait_for_file(const std::string& path) {
    EXPECT_TRUE(support::comes_true([&] { return exists(path); })) << path;
  }
};

TEST_F(Steps, RunInOrderAndReportWhatTheyPrint) {
  const StepDone report = report_of(step(3, {"echo one; echo first >&2", "echo two; cat"}));
  EXPECT_EQ(report.step, 3u);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.spawn_error, "");
  EXPECT_GT(report.started_ns, 0u);
  EXPECT_EQ(report.stdout_text, "one\ntwo\n");
  EXPECT_EQ(report.stderr_text, "first\n");
  EXPECT_EQ(report.doubt, "");
}

TEST_F(Steps, ReportWhatIsPrintedByThePathsOfTheStreams) {
  const StepDone report =
      report_of(step(1, {"echo one; echo two >> /proc/self/fd/1", "echo three >> /proc/self/fd/2"}));
  EXPECT_EQ(report.stdout_text, "one\ntwo\n");
  EXPECT_EQ(report.stderr_text, "three\n");
}

// The loader says so for each program that a step starts, in the messages of that program.
TEST_F(Steps, DoNotReportThatTheTraceLibraryCannotBeLoaded) {
  RunStep untraced = step(1, {"echo one >&2; env >/dev/null; echo two >&2"});
  untraced.trace_library = scratch / "no/libhipcache-trace.so";
  EXPECT_EQ(report_of(untraced).stderr_text, "one\ntwo\n");
  const std::string also = report_of(untraced, {"LD_PRELOAD=/no/library-of-the-user.so"}).stderr_text;
  EXPECT_THAT(also, HasSubstr("ERROR: ld.so: object '/no/library-of-the-user.so' from LD_PRELOAD cannot be preloaded"));
  EXPECT_THAT(also, testing::Not(HasSubstr("libhipcache-trace.so")));
}

TEST_F(Steps, AreNotWaitedForByAProcessThatTheyLeftBehindWithTheirStreams) {
  const StepDone report = report_of(step(1, {"sleep 1000 & echo $! > " + (scratch / "pid") + "; echo one"}));
  EXPECT_EQ(report.stdout_text, "one\n");
  kill(std::stoi(read_bytes(scratch / "pid")), SIGKILL);
}

TEST_F(Steps, NeedNoRoomOnAnyDiskForWhatTheyPrint) {
  std::filesystem::remove_all(directory());  // nothing can be written there
  const StepDone report = report_of(step(1, {"echo one; echo two >&2; exit 1"}));
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(report.stdout_text, "one\n");
  EXPECT_EQ(report.stderr_text, "two\n");
}

TEST_F(Steps, ThatPrintMoreThanAMessageHoldsEndAndLeaveADoubt) {
  const StepDone report = report_of(step(1, {"head -c 20000000 /dev/zero"}));
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_THAT(report.doubt, HasSubstr("it prints more than"));
  EXPECT_EQ(report.stdout_text, "");
}

TEST_F(Steps, StopAtTheFirstCommandThatFails) {
  const StepDone report = report_of(step(1, {"echo one", "exit 9", "echo three"}));
  EXPECT_EQ(report.exit_code, 9);
  EXPECT_EQ(report.failed_command, 1u);
  EXPECT_EQ(report.stdout_text, "one\n");
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
  const StepDone report = report_of(wanted, {"TMPDIR=/tmp", "CPATH=/inc"});
  EXPECT_EQ(report.stdout_text, directory() + " /inc  none\n") << "nothing is traced without a library";
}

TEST_F(Steps, ChainALibraryThatIsPreloadedAlready) {
  RunStep wanted = step(1, {"echo \"$HIPCACHE_TRACE $LD_PRELOAD\""});
  wanted.trace_library = "/absent/libtrace.so";
  const StepDone report = report_of(wanted, {"LD_PRELOAD=/absent/libfakeroot.so"});
  EXPECT_EQ(report.stdout_text, directory() + "/trace /absent/libtrace.so:/absent/libfakeroot.so\n");
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
                            const std::string first = expect<StepDone>(channel).stdout_text;
                            EXPECT_EQ(first + expect<StepDone>(channel).stdout_text, "met\n");
                            EXPECT_TRUE(channel.send(Finish{}, 10s));
                          }});
  EXPECT_EQ(compile().exit_code, 0);
}

TEST_F(Steps, AreKilledAndClearedAwayWhenTheDaemonDiesAndTheCompilerRuns) {
  Heard<pid_t> heard;
  {
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              const std::string number = scratch / "pid";
                              const std::string command =
                                  "echo $$ > " + number + ".new; mv " + number + ".new " + number + "; exec sleep 1000";
                              EXPECT_TRUE(channel.send(step(1, {command}), 10s));
                              wait_for_file(number);
                              heard.set(std::stoi(read_bytes(number)));
                            }});
    expect_compiled_by_the_compiler(compile());
  }
  EXPECT_TRUE(is_gone(heard.get()));
  EXPECT_FALSE(exists(directory()));
  EXPECT_TRUE(exists(protocol::daemon_directory(cache()) + "/tmp"));
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
  Heard<std::string> children;
  {
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              const std::string list = scratch / "children";
                              EXPECT_TRUE(channel.send(step(1, {"trap '' TERM; sleep 1000 & echo $$ $! > " + list +
                                                                ".new; mv " + list + ".new " + list + "; wait"}),
                                                       10s));
                              wait_for_file(list);
                              children.set(read_bytes(list));
                            }});
    expect_compiled_by_the_compiler(compile());
  }
  std::istringstream numbers(children.get());
  pid_t shell = 0;
  pid_t started_by_it = 0;
  ASSERT_TRUE(numbers >> shell >> started_by_it);
  EXPECT_TRUE(is_gone(shell));
  EXPECT_TRUE(is_gone(started_by_it));
}

// A shell's `other & exec hipcache ...` makes the other one's parent of us.
TEST_F(Steps, AreEndedWithoutTheProcessesThatTheClientInherited) {
  const std::string jobs = scratch / "jobs";
  const std::string step_pid = scratch / "step";
  {
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              const std::string command = "sleep 1000 & echo $! > " + step_pid + ".new; mv " +
                                                          step_pid + ".new " + step_pid + "; wait";
                              EXPECT_TRUE(channel.send(step(1, {command}), 10s));
                              wait_for_file(step_pid);
                            }});
    run({"/bin/sh", "-c", "sleep 1000 & echo $! > " + jobs + "; exec hipcache cc -o " + object()});
  }
  EXPECT_EQ(compiler_runs(), 1);
  EXPECT_TRUE(is_gone(std::stoi(read_bytes(step_pid))));
  const pid_t job = std::stoi(read_bytes(jobs));
  EXPECT_EQ(kill(job, SIGKILL), 0) << "the job is not ours";
}

TEST_F(Steps, WithoutACommandAreNotUnderstoodAndTheCompilerRuns) {
  const FakeDaemon daemon(cache(), {reply_with(step(1, {}))});
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

TEST_F(Steps, InTheUsersTemporaryDirectoryAreClearedAwayToo) {
  const std::string made = scratch.make_directory("hipcache-a1B2c3");
  const std::string open_to_others = scratch.make_directory("hipcache-d4E5f6");
  ASSERT_EQ(chmod(made.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open_to_others.c_str(), 0755), 0);
  for (const std::string& directory : {made, open_to_others}) {
    std::filesystem::remove(scratch / "runs");
    RunStep wanted = step(1, {"true"});
    wanted.directory = directory;
    const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                              expect<CompileRequest>(channel);
                              EXPECT_TRUE(channel.send(wanted, 10s));
                              expect<StepDone>(channel);
                            }});
    expect_compiled_by_the_compiler(compile());
  }
  EXPECT_FALSE(exists(made));
  EXPECT_TRUE(exists(open_to_others)) << "the daemon makes none like this";
}

}  // namespace
}  // namespace hipcache::client
