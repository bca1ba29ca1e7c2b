// Programs from their start to their end: what begins and completes a trace, and what leaves it incomplete.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <sstream>

#include "hipcache/trace/seen.h"
#include "trace/traced.h"

namespace hipcache::trace {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Life : public testing::Test {
 protected:
  Traced traced;
  const std::string hooks = test_program("trace_hooks");
  const std::string true_program = std::filesystem::canonical("/bin/true").string();

  void SetUp() override { traced.scratch.write("there", "bytes"); }
  ExitStatus run(const std::string& group) { return traced.run({hooks, group}); }
};

TEST_F(Life, BeginsWithTheProgramAndItsLibrariesButNeitherTheKernelsNorTheTracersOwn) {
  EXPECT_EQ(run("return").exit_code, 0);
  EXPECT_THAT(traced.trace.programs, ElementsAre(hooks));
  EXPECT_THAT(traced.texts(Kind::library), Contains(EndsWith("/libc.so.6")));
  EXPECT_THAT(traced.texts(Kind::library), Each(StartsWith("/")));
  EXPECT_THAT(traced.texts(Kind::library), Not(Contains(EndsWith("/libhipcache-trace.so"))));
}

// The caller's own RUNPATH leads to it: the hook must not search in the caller's place.
TEST_F(Life, HasTheNamesThatDlopenWasAskedForAndChangesNoSearch) {
  traced.scratch.write("here.c", "int here(void) { return 1; }\n");
  traced.scratch.write("main.c",
                       "#include <dlfcn.h>\n#include <stddef.h>\n"
                       "int main(void) { return dlopen(\"libhere.so\", RTLD_NOW) == NULL || "
                       "dlopen(\"libabsent.so.7\", RTLD_NOW) != NULL || dlopen(\"./absent.so\", RTLD_NOW) != NULL || "
                       "dlopen(NULL, RTLD_NOW) == NULL; }\n");
  traced.scratch.make_directory("own");
  ASSERT_EQ(traced.run_untraced({"gcc", "-shared", "-fPIC", "here.c", "-o", "own/libhere.so"}).exit_code, 0);
  ASSERT_EQ(
      traced.run_untraced({"gcc", "main.c", "-o", "main", "-ldl", "-Wl,-rpath," + (traced.scratch / "own")}).exit_code,
      0);
  EXPECT_EQ(traced.run({traced.scratch / "main"}).exit_code, 0) << traced.output;
  EXPECT_THAT(traced.texts(Kind::library_name), ElementsAre("libabsent.so.7", "libhere.so"));
  EXPECT_THAT(traced.texts(Kind::library), Contains(EndsWith("/own/libhere.so")));
  EXPECT_TRUE(traced.has(Kind::look, false, "./absent.so")) << traced.dump();
}

// As programs of other processors run in a container: there /proc/self/exe is the emulator.
TEST_F(Life, NamesTheProgramAndNotAnEmulatorThatRunsIt) {
#ifdef __x86_64__
  const std::string emulator = "/usr/bin/qemu-x86_64-static";
#else
  const std::string emulator = "/usr/bin/qemu-aarch64-static";
#endif
  if (!std::filesystem::exists(emulator)) GTEST_SKIP() << "no " << emulator << ": apt-get install qemu-user-static";
  ASSERT_EQ(traced.run({emulator, true_program}).exit_code, 0) << traced.output;
  EXPECT_THAT(traced.trace.programs, ElementsAre(true_program));
  struct stat status = {};
  ASSERT_EQ(::stat(true_program.c_str(), &status), 0);
  EXPECT_THAT(traced.seen(Kind::program, true_program), ElementsAre(seen_file(status)));
}

TEST_F(Life, EndsOnceHoweverTheProgramLeavesInOrder) {
  for (const char* way : {"return", "exit", "_exit", "_Exit", "quick_exit"}) {
    EXPECT_EQ(run(way).exit_code, 0) << way;
    EXPECT_EQ(traced.trace.ends, 1U) << way;
  }
}

TEST_F(Life, HasNoEndWhenASignalEndsTheProgram) {
  EXPECT_EQ(run("kill").signal, SIGKILL);
  EXPECT_EQ(traced.trace.ends, 0U);
  EXPECT_EQ(run("abort").signal, SIGABRT);
  EXPECT_EQ(traced.trace.ends, 0U);
  EXPECT_THAT(traced.trace.programs, ElementsAre(hooks));
}

TEST_F(Life, OfAForkedChildIsPartOfItsParents) {
  for (const char* way : {"fork", "vfork"}) {
    EXPECT_EQ(run(way).exit_code, 0) << way;
    EXPECT_THAT(traced.trace.programs, ElementsAre(hooks)) << way;
    EXPECT_EQ(traced.trace.ends, 1U) << way;
  }
  run("fork");
  EXPECT_TRUE(traced.has(Kind::open_read, true, "there"));
}

TEST_F(Life, OfAnExecutedProgramIsItsOwnWhateverCallExecutedIt) {
  for (const char* call : {"execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve",
                           "posix_spawn", "posix_spawnp"}) {
    EXPECT_EQ(run(call).exit_code, 0) << call;
    EXPECT_THAT(traced.trace.programs, ElementsAre(hooks, true_program)) << call;
    EXPECT_EQ(traced.trace.ends, 2U) << call;
    EXPECT_TRUE(traced.has_any(Kind::execute, true, "/true")) << call << "\n" << traced.dump();
  }
}

TEST_F(Life, OfAProgramWithAnEnvironmentOfItsParentsMakingIsTracedAsWell) {
  for (const char* call : {"execve-alone", "execve-own", "execvpe-alone", "execle-alone", "fexecve-alone",
                           "execv-cleared", "execvp-cleared", "posix_spawn-alone", "posix_spawnp-alone"}) {
    EXPECT_EQ(run(call).exit_code, 0) << call;
    EXPECT_THAT(traced.trace.programs, ElementsAre(hooks, true_program)) << call << "\n" << traced.dump();
    EXPECT_EQ(traced.trace.ends, 2U) << call;
  }
}

TEST_F(Life, AddsOnlyTheTraceToAnEnvironmentOfTheParentsMaking) {
  EXPECT_EQ(run("spawn-env").exit_code, 0);
  EXPECT_EQ(traced.output, "TRACE_TEST_OWN=1\nHIPCACHE_TRACE=" + (traced.scratch / "trace") +
                               "\nLD_PRELOAD=" + preload_library() + ":libdl.so.2\n");
}

TEST_F(Life, LeavesAnEnvironmentWithAnotherTraceAlone) {
  EXPECT_EQ(run("spawn-for-another").exit_code, 0);
  EXPECT_THAT(traced.trace.programs, ElementsAre(hooks));
}

TEST_F(Life, RecordsWhereAProgramWasLookedForOnThePath) {
  traced.changes["PATH"] = traced.scratch.make_directory("empty") + ":" + std::getenv("PATH");
  for (const char* call : {"execvp", "posix_spawnp"}) {
    EXPECT_EQ(run(call).exit_code, 0) << call;
    EXPECT_TRUE(traced.has(Kind::look, false, traced.scratch / "empty/true")) << call << "\n" << traced.dump();
    EXPECT_TRUE(traced.has_any(Kind::look, true, "/true")) << call;
  }
}

TEST_F(Life, RecordsAProgramThatIsNotThereAsAbsent) {
  EXPECT_EQ(run("exec-in-vain").exit_code, 0);
  EXPECT_TRUE(traced.has(Kind::execute, false, "absent"));
  EXPECT_FALSE(traced.has(Kind::execute, true, "absent"));
}

TEST_F(Life, RecordsFilesThatASpawnedProgramStartsWith) {
  EXPECT_EQ(run("spawn-with-files").exit_code, 0);
  EXPECT_TRUE(traced.has(Kind::open_read, true, "there"));
  EXPECT_TRUE(traced.has(Kind::open_write, true, "w-output"));
}

TEST_F(Life, RecordsShells) {
  for (const char* call : {"system", "popen"}) {
    EXPECT_EQ(run(call).exit_code, 0) << call;
    EXPECT_TRUE(traced.has(Kind::execute, true, "/bin/sh")) << call;
  }
}

TEST_F(Life, RecordsConnections) {
  EXPECT_EQ(run("connect-network").exit_code, 0);
  EXPECT_THAT(traced.texts(Kind::network), ElementsAre("a network address"));
  EXPECT_EQ(run("connect-socket").exit_code, 0);
  EXPECT_THAT(traced.texts(Kind::network), ElementsAre("absent"));
}

TEST_F(Life, AnswersAndRecordsVariablesAskedBeforeItsOwnConstructorAndFromInsideAnAllocator) {
  traced.changes["TRACE_TEST_SET"] = "a value";
  EXPECT_EQ(traced.run({test_program("trace_early")}).exit_code, 0);
  EXPECT_TRUE(traced.has(Kind::variable, true, "TRACE_TEST_SET"));
  EXPECT_TRUE(traced.has(Kind::variable, false, "TRACE_TEST_ALLOCATOR"));
  EXPECT_LT(traced.raw.find("TRACE_TEST_SET"), traced.raw.find(test_program("trace_early"))) << "asked too late";
  EXPECT_EQ(traced.trace.ends, 1U);
}

TEST_F(Life, OfAStaticProgramLeavesNothing) {
  EXPECT_EQ(traced.run({test_program("trace_static")}).exit_code, 0);
  EXPECT_THAT(traced.raw, IsEmpty());
}

TEST_F(Life, WithoutAFileToTraceToLeavesNothing) {
  traced.changes["HIPCACHE_TRACE"] = "";
  EXPECT_EQ(run("read").exit_code, 1);  // the files of that group are not there
  EXPECT_THAT(traced.raw, IsEmpty());
  traced.changes["HIPCACHE_TRACE"] = "relative";
  EXPECT_EQ(run("return").exit_code, 0);
  EXPECT_FALSE(support::exists(traced.scratch / "relative"));
}

TEST_F(Life, GoesOnWhenTheTraceCannotBeWrittenButHasNoEnd) {
  traced.changes["HIPCACHE_TRACE"] = "/dev/full";
  EXPECT_EQ(run("fork").exit_code, 0);
  traced.changes["HIPCACHE_TRACE"] = traced.scratch / "absent/trace";
  EXPECT_EQ(run("fork").exit_code, 0);
  EXPECT_THAT(traced.raw, IsEmpty());
}

TEST_F(Life, TheLibraryStandsOnlyBeforeFunctionsOfLibcAndNeedsNoOtherLibrary) {
  ASSERT_EQ(traced.run_untraced({"nm", "-D", "--defined-only", "--format=just-symbols", preload_library()}).exit_code,
            0);
  std::istringstream symbols(traced.output);
  std::size_t count = 0;
  for (std::string symbol; std::getline(symbols, symbol); ++count) {
    EXPECT_NE(dlsym(RTLD_DEFAULT, symbol.c_str()), nullptr) << symbol;
  }
  EXPECT_GT(count, 100U);
  ASSERT_EQ(traced.run_untraced({"readelf", "-d", preload_library()}).exit_code, 0);
  std::vector<std::string> needed;
  std::istringstream lines(traced.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") != std::string::npos) needed.push_back(line);
  }
  EXPECT_THAT(needed, ElementsAre(EndsWith("[libc.so.6]")));
}

TEST_F(Life, UnderFakerootSeesTheSameAndFakesTheSame) {
  traced.scratch.write("script", "touch owned && chown 12:34 owned && stat -c %u:%g owned\n");
  EXPECT_EQ(traced.run_untraced({"fakeroot", "sh", "script"}).exit_code, 0) << traced.output;
  EXPECT_EQ(traced.output, "12:34\n");
  const std::string chain = "LD_PRELOAD=" + preload_library() + ":$LD_PRELOAD";
  const std::string traced_command = "env " + chain + " HIPCACHE_TRACE=" + (traced.scratch / "chained") + " sh script";
  EXPECT_EQ(traced.run_untraced({"fakeroot", "sh", "-c", traced_command}).exit_code, 0) << traced.output;
  EXPECT_EQ(traced.output, "12:34\n");
  const Result<Trace> chained = read_trace(support::read_bytes(traced.scratch / "chained"));
  ASSERT_TRUE(chained.ok());
  EXPECT_EQ(chained->programs.size(), chained->ends);
  EXPECT_THAT(chained->records, Contains(Record{Kind::open_write, true, "owned"}));
  EXPECT_THAT(chained->records, Contains(testing::Field(&Record::text, testing::HasSubstr("libfakeroot"))));
}

}  // namespace
}  // namespace hipcache::trace
