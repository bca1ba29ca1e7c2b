#include "hipcache/inputs/path_set_builder.h"

#include "inputs/loader/loader_cache.h"
#include "inputs/trace_fixture.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;

class PathSetBuilder : public TraceFixture {};

TEST_F(PathSetBuilder, LeavesOutWhatTheKernelSaysOfProcessorsIfTheKeyHasTheProcessor) {
  const std::string present = "/sys/devices/system/cpu/present";
  const std::string all = "/sys/devices/system/cpu";
  saw(Kind::open_read, present);
  saw(Kind::list, all);
  EXPECT_TRUE(asks(Question::content, present));
  EXPECT_TRUE(asks(Question::listing, all));
  run_.is_keyed_by_processor = true;
  EXPECT_FALSE(asks(Question::content, present));
  EXPECT_FALSE(asks(Question::listing, all));
}

TEST_F(PathSetBuilder, AsksForTheContentOfWhatWasOpened) {
  const std::string header = write("include/a.h", "");
  write("work/a.hip", "");
  saw(Kind::open_read, header);
  saw(Kind::open_read, "a.hip");
  saw(Kind::open_read, at("include/absent.h"), false);
  EXPECT_TRUE(asks(Question::content, header));
  EXPECT_TRUE(asks(Question::content, "a.hip"));
  EXPECT_TRUE(asks(Question::content, at("include/absent.h")));
  EXPECT_TRUE(asks(Question::content, compiler_));
}

TEST_F(PathSetBuilder, AsksWhereTheLinkLeadsThatTheCompilerIsRunBy) {
  const std::string name = link("usr/compiler", compiler_);
  run_.programs.commands = {name};
  EXPECT_TRUE(asks(Question::content, name));
  EXPECT_TRUE(asks(Question::link, name));
  EXPECT_TRUE(asks(Question::content, compiler_));
}

TEST_F(PathSetBuilder, AsksWhetherADirectoryThatWasOpenedIsThere) {
  saw(Kind::open_read, directory("include"));
  EXPECT_TRUE(asks(Question::presence, at("include")));
  EXPECT_FALSE(asks(Question::content, at("include")));
}

TEST_F(PathSetBuilder, AsksEachKindOfQuestion) {
  directory("d");
  link("l", "d");
  saw(Kind::look, at("absent"), false);
  saw(Kind::list, at("d"));
  saw(Kind::link, at("l"));
  saw(Kind::real_path, at("l"));
  saw(Kind::variable, "CPATH");
  EXPECT_TRUE(asks(Question::presence, at("absent")));
  EXPECT_TRUE(asks(Question::listing, at("d")));
  EXPECT_TRUE(asks(Question::link, at("l")));
  EXPECT_TRUE(asks(Question::real_path, at("l")));
  EXPECT_TRUE(asks(Question::variable, "CPATH"));
}

// A run of clang alone, which lists the directory where it looks for ROCm.
class ListingOfRocm : public PathSetBuilder {
 protected:
  ListingOfRocm() {
    compiler_ = write("bin/clang-19", "elf");
    run_.programs.commands = trace_.programs = {compiler_};
    begin_run();
    saw(Kind::list, "/opt");
  }
};

TEST_F(ListingOfRocm, AsksForNamesOfRocmAlone) {
  saw(Kind::list, "/usr/share");
  EXPECT_TRUE(asks(Question::rocm_listing, "/opt"));
  EXPECT_FALSE(asks(Question::listing, "/opt"));
  EXPECT_TRUE(asks(Question::listing, "/usr/share"));
}

TEST_F(ListingOfRocm, AsksForBitcodeAloneWhereDeviceLibrariesMayBe) {
  saw(Kind::list, "/usr/lib");
  EXPECT_TRUE(asks(Question::bitcode_listing, "/usr/lib"));
  EXPECT_FALSE(asks(Question::listing, "/usr/lib"));
}

TEST_F(ListingOfRocm, AsksForAllNamesIfAModuleMapMayTakeThem) {
  saw(Kind::open_read, write("module.modulemap", ""));
  begin_run();
  EXPECT_TRUE(asks(Question::listing, "/opt"));
  EXPECT_FALSE(asks(Question::rocm_listing, "/opt"));
}

TEST_F(ListingOfRocm, AsksForAllNamesIfAnotherProgramMayHaveListedThem) {
  run_.programs.has_unseen_one = true;
  EXPECT_TRUE(asks(Question::listing, "/opt"));
  EXPECT_FALSE(asks(Question::rocm_listing, "/opt"));
}

TEST_F(PathSetBuilder, LeavesOutVariablesThatOnlySteerASearchAndThoseOfTheTracer) {
  environment_ = {"PATH=/bin"};
  for (const char* name : {"PATH", "TMPDIR", "TMP", "TEMP", "HIPCACHE_TRACE", "FAKEROOTKEY", "FAKED_MODE"}) {
    saw(Kind::variable, name);
    EXPECT_FALSE(asks(Question::variable, name)) << name;
  }
}

TEST_F(PathSetBuilder, RefusesAnOpaqueCommandWhoseOwnProgramLeftNoTraceUnlessAScript) {
  run_.programs.others = Programs::Others::known;
  trace_.programs = {"/usr/lib/llvm-19/bin/clang"};
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
  write("bin/compiler", "#!/usr/bin/perl\n");
  begin_run();
  EXPECT_EQ(refusal(), "");
}

TEST_F(PathSetBuilder, RefusesAScriptThatMayAskForMoreThanATraceHas) {
  run_.programs.others = Programs::Others::known;
  trace_.programs = {"/usr/bin/perl", "/usr/lib/llvm-19/bin/clang"};
  trace_.ends = 2;
  for (const char* text : {"#!/bin/sh\n", "#!/usr/bin/perl\nprint time;\n", "#!/usr/bin/python3\n"}) {
    write("bin/compiler", text);
    begin_run();
    EXPECT_EQ(refusal(), "compiler-is-a-wrapper") << text;
  }
}

TEST_F(PathSetBuilder, RefusesARunOfAnotherProgramThanACompilerOrItsTools) {
  run_.programs.others = Programs::Others::known;
  trace_.ends = 2;
  for (const char* other : {"/usr/bin/stat", "/usr/bin/date", "/usr/bin/python3.11", "/opt/tools/chooser"}) {
    trace_.programs = {compiler_, other};
    EXPECT_EQ(refusal(), "compiler-is-a-wrapper") << other;
  }
}

TEST_F(PathSetBuilder, RefusesTwoProgramsOfOneName) {
  run_.programs.others = Programs::Others::known;
  trace_.ends = 3;
  trace_.programs = {compiler_, "/opt/tools/as", "/usr/bin/as"};
  EXPECT_EQ(refusal(), "compiler-is-a-wrapper");
  trace_.programs = {compiler_, "/usr/bin/as", "/usr/bin/as"};
  EXPECT_EQ(refusal(), "");
}

TEST_F(PathSetBuilder, LeavesOutWhatMakeTellsGccUnlessLtoCodeIsLinked) {
  run_.programs.others = Programs::Others::known;
  run_.programs.commands.clear();
  trace_.ends = 4;
  saw(Kind::variable, "MAKEFLAGS");
  trace_.programs = {"/usr/bin/x86_64-linux-gnu-gcc-12", "/usr/lib/gcc/cc1", "/usr/bin/as", "/usr/lib/gcc/collect2"};
  EXPECT_FALSE(asks(Question::variable, "MAKEFLAGS"));
  for (const char* other : {"/usr/lib/gcc/lto-wrapper", "/usr/lib/gcc/lto1", "/bin/sh"}) {
    trace_.programs.back() = other;
    EXPECT_TRUE(asks(Question::variable, "MAKEFLAGS")) << other;
  }
}

TEST_F(PathSetBuilder, AsksForTheDateOfTheSourceWhereAProgramMadeADateOrMayUseTheValueOtherwise) {
  run_.programs.others = Programs::Others::known;
  run_.programs.commands.clear();
  saw(Kind::variable, "SOURCE_DATE_EPOCH");
  trace_.programs = {"/usr/lib/llvm-19/bin/clang"};
  EXPECT_FALSE(asks(Question::variable, "SOURCE_DATE_EPOCH"));
  EXPECT_TRUE(asks(Question::source_date, ""));
  trace_.programs = {"/usr/bin/perl"};
  EXPECT_TRUE(asks(Question::variable, "SOURCE_DATE_EPOCH"));
  trace_.programs = {"/usr/lib/llvm-19/bin/clang"};
  run_.shows.command = true;
  EXPECT_TRUE(asks(Question::variable, "SOURCE_DATE_EPOCH"));
  run_.shows.command = false;
  saw(Kind::date, "gmtime");
  EXPECT_TRUE(asks(Question::variable, "SOURCE_DATE_EPOCH"));
}

TEST_F(PathSetBuilder, LeavesOutTheRequestsDirectoryHoweverItIsSpelled) {
  write("request/x.o", "");
  link("alias", "request");
  run_.directory = at("alias");
  saw(Kind::open_read, at("request/x.o"));
  saw(Kind::look, at("alias/./gone"), false);
  saw(Kind::open_write, at("request/../request/y.o"));
  EXPECT_FALSE(asks_about(at("request/x.o")));
  EXPECT_FALSE(asks_about(at("alias/./gone")));
}

TEST_F(PathSetBuilder, CountsWhatIsReachedThroughTheRequestsDirectoryButNotInIt) {
  const std::string name = run_.directory + "/../include/a.h";
  write("include/a.h", "");
  saw(Kind::open_read, name);
  EXPECT_TRUE(asks(Question::content, name));
}

TEST_F(PathSetBuilder, LeavesOutAFewPlacesOfTheKernelsAndAsksForAllOthers) {
  saw(Kind::open_read, "/proc/cpuinfo");
  saw(Kind::open_read, "/dev/urandom");
  saw(Kind::link, "/proc/self/fd/3");
  saw(Kind::open_write, "/dev/null");
  saw(Kind::look, "/dev/shm/no/such/file.h", false);
  saw(Kind::look, "/dev/no/such/file.h", false);
  saw(Kind::look, "/dev/ptmx");
  saw(Kind::open_read, "/proc/no-such-file", false);
  saw(Kind::look, "/proc/filesystems");
  EXPECT_TRUE(asks(Question::presence, "/dev/no/such/file.h"));
  EXPECT_TRUE(asks(Question::presence, "/dev/ptmx"));
  EXPECT_TRUE(asks(Question::content, "/proc/no-such-file"));
  EXPECT_TRUE(asks(Question::presence, "/proc/filesystems"));
  EXPECT_FALSE(asks_about("/proc/cpuinfo"));
  EXPECT_FALSE(asks_about("/dev/urandom"));
  EXPECT_FALSE(asks_about("/proc/self/fd/3"));
  EXPECT_TRUE(asks(Question::presence, "/dev/shm/no/such/file.h"));
}

TEST_F(PathSetBuilder, AddsEveryLinkOnTheWayToWhatWasOpened) {
  write("v2/include/a.h", "");
  link("v", "current");
  link("current", "v2");
  saw(Kind::open_read, at("v/include/a.h"));
  EXPECT_TRUE(asks(Question::link, at("v")));
  EXPECT_TRUE(asks(Question::link, at("current")));
  EXPECT_FALSE(asks(Question::link, at("v2")));
}

TEST_F(PathSetBuilder, NamesLinksAsRelativeAsThePathThatLedThere) {
  write("work/real/a.h", "");
  link("work/inc", "real");
  saw(Kind::open_read, "inc/a.h");
  EXPECT_TRUE(asks(Question::link, "inc"));
  EXPECT_FALSE(asks(Question::working_directory, ""));
}

TEST_F(PathSetBuilder, EndsOnLinksThatLeadIntoThemselves) {
  link("loop", "loop/deeper");
  saw(Kind::look, at("loop"));
  EXPECT_TRUE(asks(Question::link, at("loop")));
}

TEST_F(PathSetBuilder, AddsTheLoadersCacheAndVariables) {
  EXPECT_TRUE(asks(Question::content, "/etc/ld.so.cache"));
  EXPECT_TRUE(asks(Question::content, "/etc/ld.so.preload"));
  EXPECT_TRUE(asks(Question::variable, "LD_LIBRARY_PATH"));
  EXPECT_TRUE(asks(Question::variable, "LD_PRELOAD"));
}

TEST_F(PathSetBuilder, AsksForEachLibraryByNameWhereAllNamesAreKnown) {
  run_.programs.commands = trace_.programs = {"/usr/bin/env"};
  EXPECT_TRUE(asks(Question::library, "libc.so.6"));
  EXPECT_FALSE(asks(Question::content, "/etc/ld.so.cache"));
  EXPECT_FALSE(asks(Question::variable, "LD_LIBRARY_PATH"));
  saw(Kind::variable, "LD_LIBRARY_PATH");
  EXPECT_TRUE(asks(Question::variable, "LD_LIBRARY_PATH"));
}

TEST_F(PathSetBuilder, AsksForTheWholeOfTheLoadersCacheWhereANameMayBeUnknown) {
  run_.programs.commands = trace_.programs = {"/usr/bin/env"};
  saw(Kind::library_name, "libabsent.so.7");
  EXPECT_TRUE(asks(Question::content, "/etc/ld.so.cache"));
  EXPECT_TRUE(asks(Question::variable, "LD_LIBRARY_PATH"));
  EXPECT_TRUE(asks(Question::presence, "/usr/lib/libabsent.so.7"));
  trace_.records.clear();
  EXPECT_FALSE(asks(Question::content, "/etc/ld.so.cache"));
  saw(Kind::open_read, "/etc/nsswitch.conf");
  EXPECT_TRUE(asks(Question::content, "/etc/ld.so.cache"));
}

TEST_F(PathSetBuilder, AddsThePlacesWhereALibraryCouldAppearFirst) {
  const std::string library = write("lib/libA.so", "");
  const std::string other = write("lib2/libB.so", "");
  directory("mine");
  environment_ = {"LD_LIBRARY_PATH=" + at("mine")};
  saw(Kind::library, library);
  saw(Kind::library, other);
  EXPECT_TRUE(asks(Question::content, library));
  EXPECT_TRUE(asks(Question::presence, at("lib2/libA.so")));
  EXPECT_TRUE(asks(Question::presence, at("lib/libB.so")));
  EXPECT_TRUE(asks(Question::presence, at("mine/libA.so")));
  EXPECT_TRUE(asks(Question::presence, at("lib/glibc-hwcaps")));
  EXPECT_FALSE(asks(Question::presence, library));
}

TEST_F(PathSetBuilder, LooksIntoTheDirectoriesThatTheLoaderPrefers) {
  const std::string library = write("lib/libA.so", "");
  std::vector<std::string> preferred;
  for (std::string_view level : kHwcapsLevels) preferred.push_back("lib/glibc-hwcaps/" + std::string(level));
  for (std::string_view old : kOldPreferred) preferred.push_back("lib/" + std::string(old));
  for (const std::string& name : preferred) directory(name);
  saw(Kind::library, library);
  for (const std::string& name : preferred) EXPECT_TRUE(asks(Question::presence, at(name + "/libA.so"))) << name;
}

TEST_F(PathSetBuilder, LeavesOutTheTracerAndTheKernelsLibrary) {
  saw(Kind::library, at("lib/libhipcache-trace.so"));
  saw(Kind::library, "linux-vdso.so.1");
  EXPECT_FALSE(asks_about(at("lib/libhipcache-trace.so")));
  EXPECT_FALSE(asks_about("linux-vdso.so.1"));
}

TEST_F(PathSetBuilder, DependsOnTheWorkingDirectoryOnlyIfTheProcessKnowsIt) {
  write("work/a.hip", "");
  saw(Kind::open_read, "a.hip");
  saw(Kind::look, ".");
  EXPECT_FALSE(asks(Question::working_directory, ""));
  saw(Kind::open_read, at("work/a.hip"));
  EXPECT_TRUE(asks(Question::working_directory, ""));
}

TEST_F(PathSetBuilder, DependsOnTheWorkingDirectoryOfWhoAsksForPwd) {
  saw(Kind::variable, "PWD");
  EXPECT_TRUE(asks(Question::working_directory, ""));
  EXPECT_FALSE(asks(Question::variable, "PWD"));
}

// The working directory by names that lead elsewhere in this process.
class NamesThroughProc : public PathSetBuilder {
 protected:
  NamesThroughProc() {
    header_ = write("work/a.h", "");
    begin_run();
  }

  // As the process gets it that works there.
  void got_here(Kind kind, const std::string& text, const std::string& path) {
    const std::uint64_t seen = kind == Kind::link ? trace::seen_text(path) : seen_now(kind, path);
    trace_.records.push_back({kind, true, text, seen});
  }

  std::string header_;
};

TEST_F(NamesThroughProc, AreAskedAsTheWorkingDirectory) {
  for (const char* name : {"/proc/self/cwd", "/proc/thread-self/cwd", "/proc/self/../self/cwd/."}) {
    got_here(Kind::look, name, work_);
    EXPECT_TRUE(asks(Question::working_directory, "")) << name;
    EXPECT_FALSE(asks_about(name)) << name;
  }
  got_here(Kind::link, "/proc/self/cwd", work_);
  EXPECT_TRUE(asks(Question::working_directory, ""));
}

TEST_F(NamesThroughProc, AreNoInputOfAResultThatShowsNoDirectory) {
  run_.shows.command = false;
  run_.shows.directory = false;
  run_.programs.others = Programs::Others::known;
  got_here(Kind::look, "/proc/self/cwd", work_);
  got_here(Kind::link, "/proc/self/cwd", work_);
  EXPECT_FALSE(asks(Question::working_directory, ""));
}

TEST_F(NamesThroughProc, OfFilesAreAskedBelowTheWorkingDirectory) {
  got_here(Kind::open_read, "/proc/self/cwd/a.h", header_);
  saw(Kind::look, "/proc/self/cwd/absent.h", false);
  EXPECT_TRUE(asks(Question::content, header_));
  EXPECT_TRUE(asks(Question::presence, at("work/absent.h")));
  EXPECT_TRUE(asks(Question::working_directory, ""));
}

TEST_F(NamesThroughProc, AreFoundBehindLinks) {
  const std::string here = link("here", "/proc/self/cwd");
  const std::string process = link("process", "/proc/self");
  got_here(Kind::look, here, work_);
  got_here(Kind::open_read, at("here/a.h"), header_);
  saw(Kind::look, at("process/cwd/absent.h"), false);
  EXPECT_TRUE(asks(Question::link, here));
  EXPECT_TRUE(asks(Question::content, header_));
  EXPECT_TRUE(asks(Question::presence, at("work/absent.h")));
  EXPECT_FALSE(asks_about(at("here/a.h")));
}

TEST_F(NamesThroughProc, AreRefusedIfTheProcessGotSomethingElse) {
  trace_.records.push_back({Kind::link, true, "/proc/self/cwd", trace::seen_text("/elsewhere")});
  EXPECT_EQ(refusal(), "trace");
}

TEST_F(NamesThroughProc, AreRefusedAsNamesOfPrograms) {
  run_.programs.others = Programs::Others::traced;
  write("work/as", "elf");
  begin_run();
  trace_.records.push_back({Kind::execute, true, "/proc/self/cwd/as", 0});
  EXPECT_NE(refusal(), "");
}

TEST_F(NamesThroughProc, AreRefusedIfTheyLeadToAnythingElseOfAProcess) {
  link("root", "/proc/self/root");
  link("descriptor", "/dev/fd/3");
  for (const std::string& name : {std::string("/proc/self/root/etc"), std::string("/proc/1/cwd"), at("root/etc"),
                                  at("descriptor"), at("descriptor/a.h")}) {
    trace_.records.clear();
    saw(Kind::look, name);
    EXPECT_EQ(refusal(), "trace") << name;
  }
}

TEST_F(PathSetBuilder, KeepsTheStateThatTheRunSaw) {
  const std::string header = write("a.h", "one");
  saw(Kind::open_read, header);
  begin_run();
  const auto result = outcome();
  const Witnessed& witnessed = std::get<Witnessed>(result);
  EXPECT_EQ(file_system_.state(*witnessed.set, from()), witnessed.state);
  write("a.h", "two");
  EXPECT_NE(file_system_.state(*witnessed.set, from()), witnessed.state);
}

}  // namespace
}  // namespace hipcache::inputs
