#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "client/fake_daemon.h"
#include "client/launch_fixture.h"

namespace hipcache::client {
namespace {

using namespace std::chrono_literals;
using protocol::Channel;
using protocol::CompileRequest;
using protocol::Finish;
using support::exists;
using support::read_bytes;
using testing::HasSubstr;

class Launcher : public LaunchTest {
 protected:
  // Replies to a compile with a file for each of the outputs.
  static FakeDaemon::Script finish_with(Finish finish, std::vector<std::string> contents) {
    return [finish = std::move(finish), contents = std::move(contents)](Channel& channel) {
      expect<CompileRequest>(channel);
      std::vector<UniqueFd> files;
      std::vector<int> descriptors;
      for (const std::string& bytes : contents) {
        files.push_back(std::move(sealed_memory(bytes, "output").value()));
        descriptors.push_back(files.back().get());
      }
      EXPECT_TRUE(channel.send(finish, descriptors, 10s));
    };
  }
};

TEST_F(Launcher, ServesAHitWithoutRunningTheCompiler) {
  const std::string depfile = scratch / "a.d";
  const FakeDaemon daemon(cache(), {finish_with({4, "cached out", "cached err", {{object()}, {depfile}}, {}},
                                                {"cached object", "cached depfile"})});
  const Ended ended = compile();
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_EQ(ended.out, "cached out");
  EXPECT_EQ(ended.err, "cached err");
  EXPECT_EQ(read_bytes(object()), "cached object");
  EXPECT_EQ(read_bytes(depfile), "cached depfile");
  EXPECT_EQ(compiler_runs(), 0);
}

// The full client is one that fails: it has no part in a hit.
TEST_F(Launcher, ServesAHitByItself) {
  std::filesystem::remove(full_client());
  script(helper("hipcache-client"), "echo started >> " + (scratch / "started") + "; exit 9");
  const FakeDaemon daemon(cache(), {finish_with({4, "", "", {{object(), false, false, "within"}}, {}}, {}),
                                    finish_with({4, "", "", {{object()}}, {}}, {"in a descriptor"})});
  EXPECT_EQ(compile().exit_code, 4);
  EXPECT_EQ(read_bytes(object()), "within");
  EXPECT_EQ(compile().exit_code, 4);
  EXPECT_EQ(read_bytes(object()), "in a descriptor");
  EXPECT_FALSE(exists(scratch / "started"));
}

TEST_F(Launcher, LeavesAReplyThatIsTooLongForItToTheFullClientOnTheSameConnection) {
  const std::string message(3u << 20, 'm');
  const FakeDaemon daemon(cache(), {finish_with({4, message, "", {{object()}}, {}}, {"cached"})});
  const Ended ended = compile();
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(ended.out == message);
  EXPECT_EQ(read_bytes(object()), "cached");
}

TEST_F(Launcher, LeavesASignOfLifeToTheFullClientOnTheSameConnection) {
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            expect<CompileRequest>(channel);
                            EXPECT_TRUE(channel.send(protocol::KeepWaiting{}, 10s));
                            EXPECT_TRUE(channel.send(Finish{7, "", "", {}, {}}, 10s));
                          }});
  EXPECT_EQ(compile().exit_code, 7);
}

TEST_F(Launcher, WithoutTheFullClientTheCompilerItselfRuns) {
  std::filesystem::remove(full_client());
  const FakeDaemon daemon(cache(), {reply_with(protocol::PassThrough{"not-a-compile"})});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, OptionsWithoutTheFullClientAreAnErrorThatNamesIt) {
  std::filesystem::remove(full_client());
  const Ended ended = run({hipcache(), "--version"});
  EXPECT_EQ(ended.exit_code, 127);
  EXPECT_EQ(ended.err, "hipcache: error: cannot run hipcache-client: No such file or directory\n");
}

TEST_F(Launcher, AFullClientOfAnotherBuildBeginsAnew) {
  const FakeDaemon daemon(cache(), {reply_with(protocol::PassThrough{"reason"})});
  const std::string words = "--launch=7,0.0.1/1 cc -o " + object();
  expect_compiled_by_the_compiler(
      run({"/bin/bash", "-c", "exec 7</dev/null; exec -a hipcache-client " + full_client() + " " + words}));
}

TEST_F(Launcher, TellsTheDaemonAllThatACompileDependsOn) {
  Heard<CompileRequest> heard;
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            heard.set(expect<CompileRequest>(channel));
                            EXPECT_TRUE(channel.send(Finish{}, 10s));
                          }});
  run({"/bin/sh", "-c", "cd " + scratch.path() + " && umask 027 && exec bin/hipcache bin/cc -o x"}, {"CPATH=/inc"});
  const CompileRequest request = heard.get();
  EXPECT_EQ(request.build, protocol::build_id());
  EXPECT_THAT(request.argv, testing::ElementsAre("bin/cc", "-o", "x"));
  EXPECT_THAT(request.environment, testing::Contains("CPATH=/inc"));
  EXPECT_EQ(request.working_directory, scratch.path());
  EXPECT_EQ(request.umask, 027u);
  struct stat root{};
  ASSERT_EQ(stat("/", &root), 0);
  EXPECT_EQ(request.mount_view.root_inode, root.st_ino);
  EXPECT_EQ(request.streams.find_first_of("0123456789"), std::string::npos);
  EXPECT_FALSE(request.plan_only);
}

TEST_F(Launcher, OutputsGetTheModeThatTheUmaskLeaves) {
  const FakeDaemon daemon(cache(), {finish_with({0, "", "", {{object()}}, {}}, {"cached"})});
  run({"/bin/sh", "-c", "umask 027 && exec hipcache cc -o " + object()});
  struct stat status{};
  ASSERT_EQ(stat(object().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(Launcher, ReplacesAnObjectAndWritesToADepfileAsTheCompilerDoes) {
  const std::string depfile = scratch / "a.d";
  for (const std::string& path : {object(), depfile}) {
    std::ofstream(path) << "old and longer than what comes";
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    std::filesystem::create_hard_link(path, path + ".second");
  }
  const FakeDaemon daemon(
      cache(), {finish_with({0, "", "", {{object()}, {depfile, true}}, {}}, {"cached object", "cached depfile"})});
  run({"/bin/sh", "-c", "umask 027 && exec hipcache cc -o " + object()});
  EXPECT_EQ(read_bytes(object() + ".second"), "old and longer than what comes");
  EXPECT_EQ(read_bytes(object()), "cached object");
  EXPECT_EQ(std::filesystem::status(object()).permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(read_bytes(depfile + ".second"), "cached depfile");
  EXPECT_EQ(read_bytes(depfile), "cached depfile");
  EXPECT_EQ(std::filesystem::status(depfile).permissions(), std::filesystem::perms(0600));
}

TEST_F(Launcher, RemovesWhatTheCompilerWouldHaveRemoved) {
  scratch.write("a.o", "old");
  const FakeDaemon daemon(cache(), {finish_with({1, "", "error\n", {}, {object(), scratch / "never-there"}}, {})});
  EXPECT_EQ(compile().exit_code, 1);
  EXPECT_FALSE(exists(object()));
}

TEST_F(Launcher, BecomesTheCompilerWhenTheDaemonPassesThrough) {
  const FakeDaemon daemon(cache(), {reply_with(protocol::PassThrough{"not-a-compile"})});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, BecomesTheCompilerWhenTheDaemonIsBusy) {
  const FakeDaemon daemon(cache(), {reply_with(protocol::Busy{"too many"})});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, BecomesTheCompilerWhenTheReplyIsGarbage) {
  const FakeDaemon daemon(cache(), {reply_bytes("HTTP/1.1 400 Bad Request\r\n\r\n")});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, BecomesTheCompilerWhenTheReplyIsHalfAMessage) {
  const FakeDaemon daemon(cache(), {reply_bytes(std::string("HCC1\x64\0\0\0\0\0\0\0half", 16))});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, BecomesTheCompilerWhenTheDaemonSendsWhatIsNotItsToSend) {
  const FakeDaemon daemon(cache(), {reply_with(CompileRequest{})});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, BecomesTheCompilerWhenAReplyHasFewerFilesThanOutputs) {
  const FakeDaemon daemon(cache(), {finish_with({0, "", "", {{object()}, {scratch / "a.d"}}, {}}, {"only one"})});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, BecomesTheCompilerWhenTheDaemonLeavesBeforeItsReplyAndNoOtherCanBeStarted) {
  const FakeDaemon daemon(cache(), {[](Channel& channel) { expect<CompileRequest>(channel); }});
  expect_compiled_by_the_compiler(compile());
}

TEST_F(Launcher, AsksAgainWhenTheDaemonLeftJustBeforeItsReply) {
  const FakeDaemon daemon(cache(), {[](Channel& channel) { expect<CompileRequest>(channel); },
                                    finish_with({0, "", "", {{object()}}, {}}, {"cached"})});
  EXPECT_EQ(compile().exit_code, 0);
  EXPECT_EQ(read_bytes(object()), "cached");
  EXPECT_EQ(compiler_runs(), 0);
}

TEST_F(Launcher, BecomesTheCompilerWhenAnOutputCannotBePlaced) {
  const std::string nowhere = scratch / "no/such/directory/a.d";
  const FakeDaemon daemon(cache(),
                          {finish_with({0, "printed", "", {{object()}, {nowhere}}, {}}, {"cached", "cached"})});
  expect_compiled_by_the_compiler(compile());
  EXPECT_THAT(list_directory(scratch.path()).value(), testing::Not(testing::Contains(HasSubstr("a.o."))));
}

TEST_F(Launcher, LeavesWhatIsNoRegularFileToTheCompiler) {
  const std::string pipe = scratch / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const FakeDaemon daemon(cache(), {finish_with({0, "", "", {{pipe}}, {}}, {"cached"})});
  expect_compiled_by_the_compiler(compile());
  struct stat status{};
  ASSERT_EQ(stat(pipe.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST_F(Launcher, BecomesTheCompilerWhenThereIsNoDaemonAtAll) { expect_compiled_by_the_compiler(compile()); }

TEST_F(Launcher, BecomesTheCompilerWhenTheCacheDirectoryCannotBeMade) {
  const std::string file = scratch.write("file", "");
  expect_compiled_by_the_compiler(compile({"HIPCACHE_QUIET=1", "HIPCACHE_DIR=" + file + "/cache"}));
}

TEST_F(Launcher, BecomesTheCompilerWhenTheSocketPathIsTooLong) {
  const std::string too_long = scratch / std::string(120, 'd');
  expect_compiled_by_the_compiler(compile({"HIPCACHE_QUIET=1", "HIPCACHE_DIR=" + too_long}));
}

TEST_F(Launcher, BecomesTheCompilerWithoutAskingWhenDisabled) {
  script(helper("hipcached"), "echo started >> " + (scratch / "started"));
  expect_compiled_by_the_compiler(compile({"HIPCACHE_DISABLE=1"}));
  EXPECT_FALSE(exists(scratch / "started"));
}

TEST_F(Launcher, SaysNothingButLogsWhyTheCompilerRan) {
  expect_compiled_by_the_compiler(compile({"HIPCACHE_LOG=" + (scratch / "log")}));
  EXPECT_THAT(read_bytes(scratch / "log"), HasSubstr("cannot start the daemon"));
}

TEST_F(Launcher, StartsTheDaemonOfItsTreeAwayFromEverythingOfOurs) {
  script(helper("hipcached"),
         "{ echo \"$HIPCACHE_DIR|$PWD|$LD_PRELOAD\"; ls /proc/self/fd | wc -l; } > " + (scratch / "started"));
  expect_compiled_by_the_compiler(run({"/bin/sh", "-c", "exec 7</dev/null; exec hipcache cc -o " + object()}));
  EXPECT_EQ(read_bytes(scratch / "started"), cache() + "|/|\n" + "4\n") << "three streams, and ls's own";
}

TEST_F(Launcher, ReplacesADaemonOfAnotherVersion) {
  script(helper("hipcached"), "echo started >> " + (scratch / "started"));
  {
    const FakeDaemon daemon(cache(), {reply_with(protocol::VersionMismatch{"0.0.1/0"}), [](Channel& channel) {
                                        EXPECT_EQ(expect<protocol::ControlRequest>(channel).kind,
                                                  protocol::ControlKind::stop);
                                        EXPECT_TRUE(channel.send(protocol::ControlReply{}, 10s));
                                      }});
    expect_compiled_by_the_compiler(compile());
  }
  EXPECT_EQ(read_bytes(scratch / "started"), "started\n");
}

TEST_F(Launcher, AMissingCompilerIsSaidOnOneLineWithTheExitCodeOfAShell) {
  const Ended ended = run({hipcache(), "no-such-cc", "-c"});
  EXPECT_EQ(ended.exit_code, 127);
  EXPECT_EQ(ended.err, "hipcache: error: could not find compiler \"no-such-cc\" in PATH\n");
}

TEST_F(Launcher, CalledByTheNameOfACompilerItIsThatCompiler) {
  scratch.link("links/cc", hipcache());
  Heard<CompileRequest> heard;
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            heard.set(expect<CompileRequest>(channel));
                            EXPECT_TRUE(channel.send(protocol::PassThrough{"reason"}, 10s));
                          }});
  const std::string path = "PATH=" + (scratch / "links") + ":" + (scratch / "bin") + ":/usr/bin:/bin";
  expect_compiled_by_the_compiler(run({scratch / "links/cc", "-o", object()}, {path}));
  EXPECT_EQ(heard.get().argv.at(0), compiler());
}

TEST_F(Launcher, DoesNotLaunchItselfWhereALinkToItHidesTheCompiler) {
  scratch.link("links/cc", hipcache());
  const std::string path = "PATH=" + (scratch / "links") + ":" + (scratch / "bin") + ":/usr/bin:/bin";
  expect_compiled_by_the_compiler(run({hipcache(), hipcache(), "cc", "-o", object()}, {path}));
}

TEST_F(Launcher, ALinkWithNoCompilerBehindItIsAnErrorAndNoEndlessLoop) {
  scratch.link("links/strange-cc", hipcache());
  const Ended ended = run({scratch / "links/strange-cc", "-c"}, {"PATH=" + (scratch / "links")});
  EXPECT_EQ(ended.exit_code, 127);
  EXPECT_EQ(ended.err, "hipcache: error: could not find compiler \"strange-cc\" in PATH\n");
}

TEST_F(Launcher, CalledByTheNameOfACompilerItIsTheFirstOneInPathThatIsNotHipcache) {
  script("first/cc", "exit 21");
  script("second/cc", "exit 22");
  scratch.link("links/cc", hipcache());
  scratch.link("more-links/cc", scratch / "links/cc");
  std::filesystem::create_hard_link(scratch / "bin/hipcache", scratch / "more-links/hard-cc");
  const auto with_path = [&](const std::vector<std::string>& directories) {
    std::string path = "PATH=";
    for (const std::string& directory : directories) path += (path == "PATH=" ? "" : ":") + (scratch / directory);
    return std::vector<std::string>{path, "HIPCACHE_DISABLE=1"};
  };
  const std::string link = scratch / "links/cc";
  EXPECT_EQ(run({link}, with_path({"links", "first", "second"})).exit_code, 21);
  EXPECT_EQ(run({link}, with_path({"first", "links", "second"})).exit_code, 21);
  EXPECT_EQ(run({link}, with_path({"links", "more-links", "second", "first"})).exit_code, 22);
  EXPECT_EQ(run({scratch / "more-links/cc"}, with_path({"second"})).exit_code, 22) << "a link to a link";
  EXPECT_EQ(run({scratch / "more-links/hard-cc"}, with_path({"more-links"})).err,
            "hipcache: error: could not find compiler \"hard-cc\" in PATH\n");
}

TEST_F(Launcher, CalledByTheNameOfACompilerItPassesOverWhatIsNoProgram) {
  scratch.make_directory("directory/cc");
  scratch.write("file/cc", "#!/bin/sh\n");
  scratch.link("dangling/cc", scratch / "nothing");
  scratch.link("links/cc", hipcache());
  std::string path = "PATH=";
  for (const char* directory : {"directory", "file", "dangling", "links", "bin"}) path += (scratch / directory) + ":";
  expect_compiled_by_the_compiler(run({scratch / "links/cc", "-o", object()}, {path, "HIPCACHE_DISABLE=1"}));
}

TEST_F(Launcher, CalledByTheNameOfACompilerItTakesAllWordsForTheCompilers) {
  script("other/cc", "echo \"$@\"");
  scratch.link("links/cc", hipcache());
  const std::vector<std::string> path{"PATH=" + (scratch / "other"), "HIPCACHE_DISABLE=1"};
  EXPECT_EQ(run({scratch / "links/cc", "--version", "--show-stats"}, path).out, "--version --show-stats\n");
  EXPECT_EQ(run({scratch / "links/cc"}, path).out, "\n");
}

// Build systems look for these names only.
TEST_F(Launcher, CalledByTheNameOfAnotherCacheItServesTheCompilerBehind) {
  script("bin/ccache", "echo real >> " + (scratch / "real"));
  script("bin/sccache", "echo real >> " + (scratch / "real"));
  for (const std::string name : {"ccache", "sccache"}) {
    scratch.link("links/" + name, hipcache());
    const FakeDaemon daemon(cache(), {finish_with({3, "out", "", {{object()}}, {}}, {"cached"})});
    const std::string path = "PATH=" + (scratch / "links") + ":" + (scratch / "bin") + ":/usr/bin:/bin";
    const Ended ended = run({scratch / ("links/" + name), "cc", "-o", object()}, {path});
    EXPECT_EQ(ended.exit_code, 3) << ended.err;
    EXPECT_EQ(ended.out, "out");
    EXPECT_EQ(read_bytes(object()), "cached");
  }
  EXPECT_EQ(compiler_runs(), 0);
  EXPECT_FALSE(exists(scratch / "real"));
}

TEST_F(Launcher, LinksNamedLikeCompilersAndOtherCachesDoNotLaunchEachOther) {
  script("bin/ccache", "exit 33");
  for (const char* name : {"ccache", "sccache", "cc"}) scratch.link(std::string("links/") + name, hipcache());
  const std::string path = "PATH=" + (scratch / "links") + ":" + (scratch / "bin") + ":/usr/bin:/bin";
  expect_compiled_by_the_compiler(run({scratch / "links/ccache", "cc", "-o", object()}, {path}));
  std::filesystem::remove(scratch / "runs");
  expect_compiled_by_the_compiler(
      run({hipcache(), "ccache", scratch / "links/sccache", scratch / "links/cc", "-o", object()}, {path}));
  std::filesystem::remove(scratch / "runs");
  script("bin/c++", "exec ccache cc \"$@\"");
  expect_compiled_by_the_compiler(run({scratch / "links/sccache", "c++", "-o", object()}, {path}));
}

TEST_F(Launcher, CalledByTheNameOfAnotherCacheItNamesAMissingCompiler) {
  scratch.link("links/ccache", hipcache());
  const Ended ended = run({scratch / "links/ccache", "no-such-cc", "-c"});
  EXPECT_EQ(ended.exit_code, 127);
  EXPECT_EQ(ended.err, "hipcache: error: could not find compiler \"no-such-cc\" in PATH\n");
}

TEST_F(Launcher, ServesAHitWithAllStandardStreamsClosed) {
  const FakeDaemon daemon(cache(), {finish_with({3, "out", "err", {{object()}}, {}}, {"cached"})});
  const Ended ended = run({"/bin/sh", "-c", "exec hipcache cc -o " + object() + " <&- >&- 2>&-"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(read_bytes(object()), "cached");
}

}  // namespace
}  // namespace hipcache::client
