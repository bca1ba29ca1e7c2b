// Compiles whose view of the files, or of which processes run, is not the daemon's: names through /proc, tracers,
// namespaces of one compile, other machines, libraries that watch programs, pipes as outputs.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <future>

#include "hipcache/base/files.h"
#include "integration/support/opaque_compile.h"
#include "integration/support/single_compile.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kWithoutCache = "hipcache: compiles run without the cache: ";

class Views : public OpaqueCompile, public testing::Test {
 protected:
  Views() { project_.write("a.c", "int f(int a) { return a + 1; }\n"); }

  // What was said lately is the test's own.
  Variables with(Variables variables = {}) const {
    variables.try_emplace("XDG_RUNTIME_DIR", project_.make_directory("run"));
    return variables;
  }

  Ended compile(const std::string& flags, const Variables& variables = {}) const {
    return cache_.run(words("gcc " + flags + " -c a.c -o a.o"), project_.path(), with(variables));
  }

  std::string object() const { return support::read_bytes(project_ / "a.o"); }

  std::string plain_object(const std::string& flags, const Variables& variables = {}) const {
    EXPECT_EQ(run(words("gcc " + flags + " -c a.c -o plain.o"), project_.path(), variables).exit_code, 0);
    return support::read_bytes(project_ / "plain.o");
  }

  // Runs hipcache in front of the command, in a child that `prepare` has prepared. `follow` is the parent's part.
  int run_prepared(const Arguments& argv, const std::function<bool()>& prepare,
                   const std::function<void(pid_t)>& follow = {}) const {
    Arguments all{"env", "-C", project_.path()};
    for (const auto& [name, value] : cache_.variables(with())) all.push_back(name + "=" + value);
    all = all + Arguments{hipcache_program()} + argv;
    std::vector<char*> pointers;
    for (std::string& word : all) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      if (prepare()) execv("/usr/bin/env", pointers.data());
      _exit(126);
    }
    if (follow) follow(child);
    int status = 0;
    while (waitpid(child, &status, 0) == child && !WIFEXITED(status) && !WIFSIGNALED(status)) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string library(const std::string& name, const std::string& text) const {
    project_.write(name + ".c", text);
    EXPECT_EQ(run({"gcc", "-shared", "-fPIC", "-O1", name + ".c", "-o", name}, project_.path()).exit_code, 0);
    return project_ / name;
  }

  bool has_program(const std::string& name) const {
    return run({"sh", "-c", "command -v " + name}, "/").exit_code == 0;
  }
};

const Variables kThroughProc{{"PWD", "/proc/self/cwd"}};

TEST_F(Views, DebugInformationNamesTheDirectoryAsPwdDoesThroughProc) {
  for (const std::string compiler : {"gcc", "clang-19"}) {
    if (!has_program(compiler)) continue;
    const Arguments argv = words(compiler + " -g -c a.c -o a.o");
    const auto made = [&](const Variables& variables) {
      EXPECT_EQ(cache_.run(argv, project_.path(), variables).exit_code, 0);
      return object();
    };
    const auto expected = [&](const Variables& variables) {
      EXPECT_EQ(run(argv, project_.path(), variables).exit_code, 0);
      return object();
    };
    const std::string usual = expected({});
    const std::string neutral = expected(kThroughProc);
    EXPECT_THAT(neutral, Not(HasSubstr(project_.path())));
    EXPECT_TRUE(made({}) == usual) << compiler;
    EXPECT_TRUE(made(kThroughProc) == neutral) << compiler;
    const Counts before = cache_.counts();
    EXPECT_TRUE(made(kThroughProc) == neutral) << compiler;
    EXPECT_TRUE(made({}) == usual) << compiler;
    EXPECT_EQ((cache_.counts() - before).hits, 2) << compiler;
  }
}

TEST_F(Views, ALinkToTheDirectoryThroughProcIsOneMoreNameOfIt) {
  const Variables by_link{{"PWD", project_.link("here", "/proc/self/cwd")}};
  const std::string expected = plain_object("-g -frandom-seed=1 -o plain.o", by_link);
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(compile("-g -frandom-seed=1", by_link).exit_code, 0);
    EXPECT_THAT(object(), HasSubstr(project_ / "here"));
  }
  EXPECT_EQ(cache_.counts().hits, 1);
}

TEST_F(Views, AHeaderThatIsNamedThroughProcIsSeenToChange) {
  const Arguments argv = words("gcc -I/proc/self/cwd/first -I/proc/self/cwd/second -c b.c -o b.o");
  project_.make_directory("first");
  project_.write("second/v.h", "#define V 1\n");
  project_.write("b.c", "#include <v.h>\nint v = V;\n");
  expect_run(argv);
  expect_hit(argv);
  project_.write("second/v.h", "#define V 2\n");
  expect_run(argv);
  project_.write("first/v.h", "#define V 3\n");
  expect_run(argv);
  expect_hit(argv);
}

TEST_F(Views, AnOutputBehindALinkThroughProcIsWrittenEachTime) {
  project_.link("here", "/proc/self/cwd");
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(cache_.run(words("gcc -c a.c -o here/a.o"), project_.path()).exit_code, 0);
    EXPECT_TRUE(std::filesystem::remove(project_ / "a.o"));
  }
}

TEST_F(Views, ADirectoryThatOnlyADescriptorNamesIsLeftToTheCompiler) {
  const std::string script = "exec 9<.; PWD=/dev/fd/9 exec " + hipcache_program() + " gcc -g -c a.c -o a.o";
  const std::string plain = "exec 9<.; PWD=/dev/fd/9 exec gcc -g -c a.c -o a.o";
  ASSERT_EQ(run({"bash", "-c", plain}, project_.path()).exit_code, 0);
  const std::string expected = object();
  ASSERT_EQ(compile("-g").exit_code, 0);
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(run({"bash", "-c", script}, project_.path(), cache_.variables()).exit_code, 0);
    EXPECT_TRUE(object() == expected);
  }
}

// As Portage's sandbox does in each program.
TEST_F(Views, APreloadedLibraryThatAsksForTheDirectoryKeepsNothingFromBeingStored) {
  const Variables preloaded{
      {"LD_PRELOAD",
       library("sandbox.so",
               "#include <unistd.h>\n__attribute__((constructor)) static void ask(void) {\n"
               "  char to[4096];\n  if (readlink(\"/proc/self/cwd\", to, sizeof to) < 0) _exit(9);\n}\n")}};
  expect_run(words("gcc -c a.c -o a.o"), preloaded);
  expect_hit(words("gcc -c a.c -o a.o"), preloaded);
}

class HipThroughProc : public SingleCompile {};

TEST_P(HipThroughProc, NamesTheDirectoryAsPwdDoes) {
  const Arguments argv = command("-g -cuid=a");
  ASSERT_EQ(cache_.run(argv, project_.path()).exit_code, 0);
  ASSERT_EQ(run(argv, project_.path(), kThroughProc).exit_code, 0);
  const std::string expected = support::read_bytes(project_ / "a.o");
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(cache_.run(argv, project_.path(), kThroughProc).exit_code, 0);
    EXPECT_TRUE(support::read_bytes(project_ / "a.o") == expected);
  }
  EXPECT_EQ(cache_.counts().hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, HipThroughProc, testing::ValuesIn(kOneCompiler), name_of);

// Lets the traced process run on, at each of its stops.
void let_run(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    const int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    ptrace(PTRACE_CONT, child, nullptr, signal);
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

bool be_traced() { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }

TEST_F(Views, BelowATracerThatMayShowOtherFilesNothingIsServedOrStored) {
  ASSERT_EQ(compile("-O1").exit_code, 0);
  const Counts before = cache_.counts();
  run_prepared(words("gcc -O1 -c a.c -o a.o"), be_traced, let_run);
  run_prepared(words("gcc -O2 -c a.c -o b.o"), be_traced, let_run);
  EXPECT_TRUE(support::exists(project_ / "b.o"));
  EXPECT_EQ((cache_.counts() - before).misses, 0);
  ASSERT_EQ(compile("-O2").exit_code, 0);
  EXPECT_EQ((cache_.counts() - before).misses, 1) << "it was not stored";
}

TEST_F(Views, BelowStraceTheRunningDaemonServesAndNoneIsStarted) {
  if (!has_program("strace")) GTEST_SKIP() << "no strace";
  const Arguments traced = words("strace -f -o /dev/null ") + Arguments{hipcache_program()};
  const Arguments argv = words("gcc -O1 -c a.c -o a.o");
  const Ended first = run(traced + argv, project_.path(), cache_.variables(with()));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr(std::string(kWithoutCache) + "no daemon runs, and none is started here"));
  EXPECT_EQ(cache_.daemon(), 0);
  ASSERT_EQ(compile("-O1").exit_code, 0);
  const Counts before = cache_.counts();
  EXPECT_EQ(run(traced + argv, project_.path(), cache_.variables(with())).exit_code, 0);
  EXPECT_EQ((cache_.counts() - before).hits, 1);
}

TEST_F(Views, TwoSessionsOfProotEachGetTheirOwnObject) {
  if (!has_program("proot")) GTEST_SKIP() << "no proot";
  project_.write("b.c", "#include <v.h>\nint v(void) { return V; }\n");
  project_.make_directory("inc");
  ASSERT_EQ(compile("-O1").exit_code, 0);  // so that a daemon runs
  std::vector<std::string> objects;
  for (const std::string value : {"1", "2"}) {
    const std::string bound = project_.write(value + "/v.h", "#define V " + value + "\n");
    const Ended ended = run(Arguments{"proot", "-b", project_ / value + ":" + (project_ / "inc"), hipcache_program()} +
                                words("gcc -O1 -Iinc -c b.c -o b.o"),
                            project_.path(), cache_.variables(with({{"PROOT_NO_SECCOMP", "1"}})));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, value == "1" ? HasSubstr("proot traces them") : HasSubstr(""));
    objects.push_back(support::read_bytes(project_ / "b.o"));
  }
  EXPECT_FALSE(objects[0] == objects[1]);
}

// As kernels before 5.3, and as seccomp profiles of containers.
bool deny_pidfd() {
  sock_filter instructions[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = std::size(instructions), .filter = instructions};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(Views, WithoutPidfdTheDaemonStartsServesAndStops) {
  EXPECT_EQ(run_prepared(words("gcc -O1 -c a.c -o a.o"), deny_pidfd), 0);
  EXPECT_EQ(cache_.counts().misses, 1) << "the compile that started the daemon is cached";
  EXPECT_EQ(run_prepared({"--start-server"}, deny_pidfd), 0);
  EXPECT_EQ(run_prepared({"--stop-server"}, deny_pidfd), 0);
  EXPECT_EQ(cache_.daemon(), 0);
  EXPECT_EQ(run_prepared({"--start-server"}, deny_pidfd), 0);
  EXPECT_NE(cache_.daemon(), 0);
}

TEST_F(Views, ANamespaceOfOneCompileGetsNoDaemon) {
  if (run({"unshare", "--mount", "true"}, "/").exit_code != 0) GTEST_SKIP() << "this user may not make namespaces";
  const Arguments alone = words("unshare --mount ") + Arguments{hipcache_program()} + words("gcc -O1 -c a.c -o a.o");
  for (int time = 0; time < 2; ++time) {
    const Ended ended = run(alone, project_.path(), cache_.variables(with()));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err,
                time == 0 ? HasSubstr(std::string(kWithoutCache) + "each is the only process") : HasSubstr(""));
    EXPECT_EQ(ended.err.empty(), time == 1) << ended.err;
    EXPECT_TRUE(support::exists(project_ / "a.o"));
  }
  EXPECT_EQ(cache_.daemon(), 0);
}

TEST_F(Views, ANamespaceOfOneCompileIsServedByTheDaemonOutside) {
  std::vector<Arguments> namespaces;
  for (const std::string alone : {"unshare --mount", "unshare --user --map-root-user --mount", "bwrap --dev-bind / /"})
    if (run(words(alone) + Arguments{"true"}, "/").exit_code == 0) namespaces.push_back(words(alone));
  if (namespaces.empty()) GTEST_SKIP() << "this user may not make namespaces";
  ASSERT_EQ(compile("-O1").exit_code, 0);
  const std::string expected = object();
  for (const Arguments& alone : namespaces) {
    const bool is_other_root = alone[1] == "--user" && geteuid() == 0;  // which may not read what root outside may
    const auto compile_alone = [&](const std::string& flags) {
      return run(alone + Arguments{hipcache_program()} + words("gcc " + flags + " -c a.c -o a.o"), project_.path(),
                 cache_.variables(with({{"XDG_RUNTIME_DIR", project_.make_directory("run" + alone[1])}})));
    };
    const Counts before = cache_.counts();
    const Ended ended = compile_alone("-O1");
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.err, HasSubstr(is_other_root ? "each is the only process" : ""));
    EXPECT_EQ(ended.err.empty(), !is_other_root) << ended.err;
    EXPECT_TRUE(object() == expected);
    EXPECT_EQ((cache_.counts() - before).hits, is_other_root ? 0 : 1) << alone[0];
    if (is_other_root) continue;
    const std::string flags = alone[0] == "bwrap" ? "-O2" : "-O3";
    EXPECT_EQ(compile_alone(flags).err, "");
    EXPECT_EQ(compile(flags).exit_code, 0);
    EXPECT_EQ((cache_.counts() - before).hits, 2) << "what was compiled there is a hit outside: " << alone[0];
  }
}

TEST_F(Views, ANamespaceWithOtherFilesIsNotServedByTheDaemonOutside) {
  if (run({"unshare", "--mount", "true"}, "/").exit_code != 0) GTEST_SKIP() << "this user may not make namespaces";
  project_.write("inc/v.h", "#define V 1\n");
  project_.write("other/v.h", "#define V 2\n");
  project_.write("b.c", "#include \"v.h\"\nint v = V;\n");
  const std::string compile_of = " gcc -O1 -Iinc -c b.c -o ";
  ASSERT_EQ(cache_.run(words("gcc -O1 -Iinc -c b.c -o one.o"), project_.path(), with()).exit_code, 0);
  const Ended ended = run(
      {"unshare", "--mount", "sh", "-c", "mount --bind other inc && exec " + hipcache_program() + compile_of + "two.o"},
      project_.path(), cache_.variables(with()));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("no daemon outside sees the same files"));
  EXPECT_FALSE(support::read_bytes(project_ / "one.o") == support::read_bytes(project_ / "two.o"));
  EXPECT_EQ(cache_.counts().hits, 0);
}

// The namespace of the lone compile is a copy from before the mount.
TEST_F(Views, AMountThatTheDaemonSeesLaterEndsItsServiceForNamespacesWithoutIt) {
  if (run({"unshare", "--mount", "true"}, "/").exit_code != 0) GTEST_SKIP() << "this user may not make namespaces";
  project_.write("inc/v.h", "#define V 1\n");
  project_.write("other/v.h", "#define V 2\n");
  project_.write("b.c", "#include \"v.h\"\nint v = V;\n");
  const std::string program = hipcache_program();
  const std::string script =
      "set -e\n"
      "one() { " +
      program +
      " gcc -O1 -Iinc -c b.c -o $1; }\n"
      "mkfifo go there\n"
      "one first.o\n"
      "unshare --mount sh -c 'echo > there; read x < go; exec " +
      program +
      " gcc -O1 -Iinc -c b.c -o before.o' & read x < there\n"
      "mount --bind other inc\n"
      "echo > go; wait $!\n"
      "one outer.o && one outer.o\n"  // the first run may have begun within the tick of the mount
      "unshare --mount " +
      program + " gcc -O1 -Iinc -c b.c -o after.o\n" + program + " --show-stats --format json\n" + program +
      " --stop-server >&2\n";
  const Ended ended = run({"unshare", "--mount", "bash", "-c", script}, project_.path(), cache_.variables(with()));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto made = [&](const std::string& name) { return support::read_bytes(project_ / name); };
  EXPECT_TRUE(made("before.o") == made("first.o"));
  EXPECT_TRUE(made("after.o") == made("outer.o"));
  EXPECT_FALSE(made("outer.o") == made("first.o"));
  EXPECT_GE(counts_of(nlohmann::json::parse(ended.out)).hits, 1) << ended.err << ended.out;
}

TEST_F(Views, ABuildInANamespaceIsCached) {
  if (run({"unshare", "--mount", "true"}, "/").exit_code != 0) GTEST_SKIP() << "this user may not make namespaces";
  const std::string one = hipcache_program() + " gcc -O1 -c a.c -o a.o";
  const Ended ended = run({"unshare", "--mount", "bash", "-c",
                           one + " && " + one + " && " + hipcache_program() + " --show-stats --format json && " +
                               hipcache_program() + " --stop-server >&2"},
                          project_.path(), cache_.variables(with()));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(counts_of(nlohmann::json::parse(ended.out)).hits, 1);
}

TEST_F(Views, ALockThatAnotherMachineHoldsIsSaidAndKeepsNoCompileWaiting) {
  ASSERT_EQ(compile("-O1").exit_code, 0);
  cache_.end_daemon(SIGKILL);
  const UniqueFd lock(open((cache_.daemon_directory() + "/daemon.lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(compile("-O2").err, HasSubstr(std::string(kWithoutCache) + "a daemon that cannot be seen from here"));
  EXPECT_TRUE(object() == plain_object("-O2"));
  EXPECT_TRUE(support::exists(cache_.daemon_directory() + "/daemon.far")) << "which later compiles find";
  EXPECT_EQ(compile("-O2").err, "");
  EXPECT_EQ(cache_.daemon(), 0);
  ASSERT_EQ(flock(lock.get(), LOCK_UN), 0);
  EXPECT_EQ(compile("-O2").exit_code, 0);
  EXPECT_NE(cache_.daemon(), 0) << "as soon as the lock is free";
}

TEST_F(Views, APipeAsTheOutputGetsWhatTheCompilerWrites) {
  for (const std::string flags : {"clang-19 -c a.c -o pipe", "gcc -S a.c -o pipe", "gcc -E a.c -o pipe"}) {
    if (!has_program(flags.substr(0, flags.find(' ')))) continue;
    ASSERT_EQ(mkfifo((project_ / "pipe").c_str(), 0600), 0);
    std::future<std::string> read =
        std::async(std::launch::async, [&] { return run({"cat", "pipe"}, project_.path()).out; });
    EXPECT_EQ(cache_.run(words(flags), project_.path()).exit_code, 0) << flags;
    const std::string expected_at = flags.substr(0, flags.find("pipe")) + "expected";
    ASSERT_EQ(run(words(expected_at), project_.path()).exit_code, 0);
    EXPECT_TRUE(read.get() == support::read_bytes(project_ / "expected")) << flags;
    std::filesystem::remove(project_ / "pipe");
  }
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0) << "no request hangs";
}

// Writes down each program that a dynamic program becomes, as Bear's library does.
constexpr const char* kRecorder =
    "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    "int execvp(const char* name, char* const* argv) {\n"
    "  FILE* to = fopen(getenv(\"RECORDED\"), \"a\");\n  fprintf(to, \"%s\\n\", name);\n  fclose(to);\n"
    "  int (*real)(const char*, char* const*) = (int (*)(const char*, char* const*))dlsym(RTLD_NEXT, \"execvp\");\n"
    "  return real(name, argv);\n}\n";

TEST_F(Views, BelowARecorderOfCommandsTheCompilerRunsWhereItIsSeen) {
  ASSERT_EQ(compile("-O1").exit_code, 0);
  const Counts before = cache_.counts();
  const Variables recorded{{"LD_PRELOAD", library("recorder.so", kRecorder)},
                           {"RECORDED", project_ / "recorded"},
                           {"INTERCEPT_REPORT_COMMAND", "/usr/bin/true"}};
  const Ended ended = compile("-O1", recorded);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr(std::string(kWithoutCache) + "a recorder of compile commands"));
  EXPECT_THAT(support::read_bytes(project_ / "recorded"), HasSubstr("\ngcc\n"));
  const Counts counted = cache_.counts() - before;
  EXPECT_EQ(counted.hits + counted.misses, 0);
}

TEST_F(Views, ALibraryThatWatchesProgramsIsSaidToSeeNoCompilers) {
  const Variables watched{{"LD_PRELOAD", library("watcher.so", kRecorder)}, {"RECORDED", project_ / "recorded"}};
  const Ended first = compile("-O1", watched);
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.err, HasSubstr("hipcache: LD_PRELOAD: " + (project_ / "watcher.so") + " watches the programs"));
  EXPECT_EQ(compile("-O2", watched).err, "");
  const Variables other{{"LD_PRELOAD", library("other.so", "int other;\n")},
                        {"XDG_RUNTIME_DIR", project_.make_directory("another")}};
  EXPECT_EQ(compile("-O3", other).err, "");
}

}  // namespace
}  // namespace hipcache::integration
