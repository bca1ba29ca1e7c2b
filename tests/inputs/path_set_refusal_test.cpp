#include <sys/stat.h>

// What must not be recorded, and by which name it is counted.
#include "inputs/trace_fixture.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;

class PathSetRefusal : public TraceFixture {};

TEST_F(PathSetRefusal, IsNoneForAnOrdinaryRun) { EXPECT_EQ(refusal(), ""); }

TEST_F(PathSetRefusal, NamesAProgramThatWasNotToRun) {
  trace_.programs.push_back(write("bin/other", ""));
  trace_.ends = 2;
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
}

TEST_F(PathSetRefusal, NamesAnotherProgramInThePlaceOfTheCompiler) {
  trace_.programs = {write("bin/bash", "")};
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
}

TEST_F(PathSetRefusal, IsNoneForAScriptAndItsInterpreterThatOnlyStartTheCompiler) {
  write("bin/compiler", "#!/usr/bin/python3\n");
  begin_run();
  trace_.programs = {"/usr/bin/python3.11", "/usr/lib/llvm-19/bin/clang"};
  trace_.ends = 2;
  run_.programs.others = Programs::Others::known;
  for (const std::vector<std::string>& starters : {std::vector{compiler_}, {real_path("/usr/bin/python3.11")}, {}}) {
    run_.programs.starters = starters;
    EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
  }
  run_.programs.starters = {compiler_, real_path("/usr/bin/python3.11")};
  EXPECT_EQ(refusal(), "");
}

TEST_F(PathSetRefusal, TakesALinkToTheCompilerForTheCompiler) {
  run_.programs.commands = {link("bin/clang++", "compiler")};
  EXPECT_EQ(refusal(), "");
}

TEST_F(PathSetRefusal, NamesACompilerThatLeftNoTrace) {
  trace_ = {};
  EXPECT_EQ(refusal(), "untraceable-compiler");
}

TEST_F(PathSetRefusal, NamesAProcessThatDidNotEndInOrder) {
  trace_.ends = 0;
  EXPECT_EQ(refusal(), "trace");
}

TEST_F(PathSetRefusal, NamesAnExecutedProgram) {
  saw(Kind::execute, "/bin/sh");
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
}

TEST_F(PathSetRefusal, LetsAProgramStartAnotherWhereItMay) {
  const std::string helper = write("bin/helper", "elf");
  begin_run();
  trace_.programs.push_back(helper);
  trace_.ends = 2;
  saw(Kind::execute, link("bin/objcopy", "helper"));
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
  run_.programs.others = Programs::Others::traced;
  EXPECT_TRUE(asks(Question::content, helper));
  EXPECT_TRUE(asks(Question::content, at("bin/objcopy")));
  run_.programs.commands.push_back(helper);
  EXPECT_EQ(refusal(), "");
  run_.programs.commands.push_back(helper);
  EXPECT_EQ(refusal(), "untraceable-compiler");
}

TEST_F(PathSetRefusal, KnowsByTheNumberOfStartsThatATracedProgramRanUntracedToo) {
  const std::string helper = write("bin/helper", "elf");
  begin_run();
  run_.programs.others = Programs::Others::traced;
  trace_.programs.push_back(helper);
  trace_.ends = 2;
  saw(Kind::execute, helper);
  trace_.starts = 1;
  EXPECT_EQ(refusal(), "");
  trace_.starts = 2;
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
}

TEST_F(PathSetRefusal, NamesAProgramThatWasStartedAndLeftNoTrace) {
  run_.programs.others = Programs::Others::traced;
  saw(Kind::execute, write("bin/static", "elf"));
  begin_run();
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
}

TEST_F(PathSetRefusal, NamesTheClockAndTheNetwork) {
  saw(Kind::clock, "");
  EXPECT_EQ(refusal(), "clock");
  trace_.records.clear();
  saw(Kind::clock, std::string(trace::kPythonsClock));
  EXPECT_EQ(refusal(), "clock");
  trace_.records.clear();
  saw(Kind::network, "");
  EXPECT_EQ(refusal(), "network");
}

TEST_F(PathSetRefusal, NamesWhatCannotBeTold) {
  saw(Kind::unknown, "chdir");
  EXPECT_EQ(refusal(), "trace");
}

TEST_F(PathSetRefusal, NamesAWriteElsewhere) {
  saw(Kind::open_write, at("request/a.o"));
  EXPECT_EQ(refusal(), "");
  saw(Kind::open_write, at("request/../elsewhere.o"));
  EXPECT_EQ(refusal(), "writes-elsewhere");
}

TEST_F(PathSetRefusal, NamesAReadThroughADescriptor) {
  for (const char* path :
       {"/dev/fd/63", "/dev/stdin", "/dev/stdout", "/proc/self/fd/0", "/proc/thread-self/fd/0", "/proc/12/fd/3",
        "/proc/self/root/a.h", "/proc/self/status", "/proc/1/environ", "/dev/ptmx"}) {
    for (const bool found : {true, false}) {
      trace_.records.clear();
      saw(Kind::open_read, path, found);
      EXPECT_EQ(refusal(), "trace") << path;
    }
  }
}

TEST_F(PathSetRefusal, NamesALookThroughAProcessButNotAtADescriptorOfItsOwn) {
  for (const char* path : {"/proc/self/root", "/proc/12/cwd", "/proc/self/fd/3/x", "/proc/1/exe", "/proc/self"}) {
    for (const Kind kind : {Kind::link, Kind::look, Kind::real_path}) {
      trace_.records.clear();
      saw(kind, path);
      EXPECT_EQ(refusal(), "trace") << path;
    }
  }
  trace_.records.clear();
  saw(Kind::look, "/proc/self/fd");
  saw(Kind::link, "/proc/self/fd/12");
  saw(Kind::link, "/proc/self/exe");
  EXPECT_EQ(refusal(), "");
}

TEST_F(PathSetRefusal, NamesAReadPipeButNotOneThatWasLookedAt) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  saw(Kind::look, at("pipe"));
  EXPECT_EQ(refusal(), "");
  saw(Kind::open_read, at("pipe"));
  EXPECT_EQ(refusal(), "trace");
}

TEST_F(PathSetRefusal, NamesAFileThatChangedDuringTheRun) {
  const std::string header = write("include/a.h", "");
  saw(Kind::open_read, header);
  EXPECT_EQ(refusal(), "");
  begin_run_before_now();
  trace_.programs.clear();
  run_.programs.commands.clear();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(PathSetRefusal, NamesADirectoryWhoseListingChangedDuringTheRun) {
  saw(Kind::list, directory("d"));
  EXPECT_EQ(refusal(), "");
  begin_run_before_now();
  trace_.programs.clear();
  run_.programs.commands.clear();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(PathSetRefusal, NamesALinkThatWasMadeDuringTheRun) {
  link("l", directory("d"));
  saw(Kind::link, at("l"));
  EXPECT_EQ(refusal(), "");
  begin_run_before_now();
  trace_.programs.clear();
  run_.programs.commands.clear();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(PathSetRefusal, NamesAFileThatIsGoneOrThereAfterAll) {
  saw(Kind::open_read, at("gone.h"), true);
  EXPECT_EQ(refusal(), "input-changed");
  trace_.records.clear();
  saw(Kind::open_read, write("there.h", ""), false);
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(PathSetRefusal, NamesAFileSeenBothAbsentAndThere) {
  write("made.h", "");
  saw(Kind::open_read, at("made.h"), false);
  saw(Kind::open_read, at("made.h"), true);
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(PathSetRefusal, UnderstandsALookForARightThatNobodyHas) {
  write("include/a.h", "");
  saw(Kind::look, at("include/a.h"), true);
  saw(Kind::look, at("include/a.h"), false);  // access(X_OK)
  EXPECT_EQ(refusal(), "");
  begin_run_before_now();
  trace_.programs.clear();
  run_.programs.commands.clear();
  EXPECT_EQ(refusal(), "input-changed") << "it appeared during the run";
}

TEST_F(PathSetRefusal, NamesALinkThatBecameNone) {
  write("l", "");
  saw(Kind::link, at("l"), true);
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(PathSetRefusal, NamesAListedDirectoryThatAppeared) {
  saw(Kind::list, directory("d"), false);
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(PathSetRefusal, OfAuditedLoading) {
  EXPECT_EQ(refusal(), "");
  environment_ = {"LD_AUDIT="};
  EXPECT_EQ(refusal(), "");
  environment_ = {"LD_AUDIT=audit.so"};
  EXPECT_EQ(refusal(), "trace");
}

}  // namespace
}  // namespace hipcache::inputs
