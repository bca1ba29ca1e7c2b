// Host-only links, by drivers and by linkers: what they depend on, where they hit, what is left to the linker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// The parameter is a command that links, without inputs and output: "gcc", "clang-19 -fuse-ld=lld".
class PlainLink : public testing::TestWithParam<std::string> {
 protected:
  PlainLink() {
    project_.write("main.c", "int part(void);\nint main(void) { return part(); }\n");
    write_part("part", 1);
    compile("main");
  }

  void compile(const std::string& name) const { run_alone("gcc -O1 -fPIC -c " + name + ".c -o " + name + ".o"); }
  void run_alone(const std::string& line) const {
    const Ended ended = run(words(line), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << line << "\n" << ended.err;
  }

  // Writes NAME.c and NAME.o with part(), which returns the value.
  void write_part(const std::string& name, int value) const {
    project_.write(name + ".c", "int part(void) { return " + std::to_string(value) + "; }\n");
    compile(name);
  }

  // Writes DIRECTORY/libpart.so or libpart.a with that part().
  void write_library(const std::string& directory, int value, const std::string& ending = ".so") const {
    write_part("library", value);
    project_.make_directory(directory);
    const std::string library = directory + "/libpart" + ending;
    fs::remove(project_ / library);
    run_alone(ending == ".a" ? "ar qc " + library + " library.o" : "gcc -shared library.o -o " + library);
  }

  Arguments command(const std::string& rest = "main.o part.o -o program") const {
    return words(GetParam() + " " + rest);
  }

  Counts check(const Arguments& argv, const Variables& variables = {}) { return oracle_.check(argv, variables); }

  void expect_run(const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(oracle_.exit_code(), 0);
    EXPECT_EQ(counted.misses, 1) << counted.json.dump();
    EXPECT_EQ(counted.run.at("link"), 1);
    EXPECT_EQ(counted.run.at("host"), 0);
    EXPECT_THAT(counted.not_stored, testing::Each(testing::Pair(testing::_, 0))) << counted.json.dump();
  }

  void expect_hit(const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(counted.hits, 1) << counted.json.dump();
    EXPECT_EQ(counted.hit.at("link"), 1);
    EXPECT_EQ(counted.run.at("link"), 0);
  }

  void expect_passed(const std::string& reason, const Arguments& argv) {
    const Counts counted = check(argv);
    EXPECT_EQ(counted.passed, 1) << counted.json.dump();
    EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
  }

  int exit_code_of_program() const { return run({"./program"}, project_.path()).exit_code; }

  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_.path()};
};

TEST_P(PlainLink, IsAHitAfterACleanAndOverWhatIsThere) {
  expect_run(command());
  expect_hit(command());
  fs::remove(project_ / "program");
  expect_hit(command());
  EXPECT_EQ(exit_code_of_program(), 1);
  compile("main");  // a new file with the same bytes
  expect_hit(command());
}

TEST_P(PlainLink, AMacroReachesNoLinkOfObjects) {
  expect_run(command("-DCOMMIT=1 main.o part.o -o program"));
  expect_hit(command("-DCOMMIT=2 -DOTHER main.o part.o -o program"));
  expect_hit(command("-UCOMMIT main.o part.o -o program"));
  expect_hit(command());
  run_alone("ar qc libpart.a part.o");
  expect_run(command("main.o libpart.a -DCOMMIT=1 -o program"));
  expect_hit(command("main.o libpart.a -DCOMMIT=2 -o program"));
}

TEST_P(PlainLink, AMacroCountsIfASourceIsCompiledOrTheDriverPrintsIt) {
  project_.write("part.c", "int part(void) { return VALUE; }\n");
  expect_run(command("-DVALUE=1 main.o part.c -o program"));
  expect_run(command("-DVALUE=2 main.o part.c -o program"));
  EXPECT_EQ(exit_code_of_program(), 2);
  project_.write("part.o", "int part(void) { return VALUE; }\n");
  expect_run(command("-DVALUE=3 main.o -x c part.o -x none -o program"));
  expect_run(command("-DVALUE=4 main.o -x c part.o -x none -o program"));
  EXPECT_EQ(exit_code_of_program(), 4);
}

TEST_P(PlainLink, AChangedObjectRunsOverAnExistingProgramAndIsStored) {
  expect_run(command());
  write_part("part", 2);
  expect_run(command());
  EXPECT_EQ(exit_code_of_program(), 2);
  write_part("part", 1);
  expect_hit(command());
  EXPECT_EQ(exit_code_of_program(), 1);
}

TEST_P(PlainLink, SharedLibrariesRelocatableObjectsAndMapsComeBack) {
  for (const char* rest :
       {"-shared part.o -o libout.so -Wl,-soname,libout.so.1", "-r -nostdlib main.o part.o -o all.o",
        "main.o part.o -o program -Wl,-Map=program.map", "-s main.o part.o -Wl,--build-id -o small", "main.o part.o"}) {
    SCOPED_TRACE(rest);
    expect_run(command(rest));
    for (const char* output : {"libout.so", "all.o", "program", "program.map", "small", "a.out"})
      fs::remove(project_ / output);
    expect_hit(command(rest));
    expect_hit(command(rest));
  }
}

TEST_P(PlainLink, FilesOfDependenciesComeBackAndAnInputThatIsAnotherOneRuns) {
  const Arguments argv = command("main.o part.o -o program -Wl,--dependency-file=program.d");
  expect_run(argv);
  const std::string names = support::read_bytes(project_ / "program.d");
  EXPECT_THAT(names, testing::HasSubstr("part.o"));
  for (const char* output : {"program", "program.d"}) fs::remove(project_ / output);
  expect_hit(argv);
  EXPECT_EQ(support::read_bytes(project_ / "program.d"), names);
  write_part("part", 2);
  expect_run(argv);
  expect_hit(argv);
  expect_run(command("main.o part.o -o other -Wl,--dependency-file=program.d"));
}

TEST_P(PlainLink, SplitDebugInformationComesBackAndIsThereToBePacked) {
  const Arguments argv = command("-g -gsplit-dwarf main.c part.c -o program");
  expect_run(argv);
  const auto split_files = [this] {
    Files found = files_in(project_.path());
    std::erase_if(found, [](const auto& file) { return !file.first.ends_with(".dwo"); });
    return found;
  };
  const Files made = split_files();
  EXPECT_EQ(made.size(), 2u);
  for (const auto& [name, bytes] : made) fs::remove(project_ / name);
  fs::remove(project_ / "program");
  expect_hit(argv);
  EXPECT_TRUE(split_files() == made);
  run_alone("llvm-dwp-19 -e program -o program.dwp");
  project_.write("part.c", "int part(void) { int more = 4; return more; }\n");
  expect_run(argv);
  EXPECT_FALSE(split_files() == made);
}

TEST_P(PlainLink, ALibraryThatChangesOrAppearsEarlierOnThePathIsSeen) {
  project_.make_directory("first");
  write_library("second", 3);
  const Arguments argv = command("main.o -Lfirst -Lsecond -lpart -Wl,-rpath,first:second -o program");
  expect_run(argv);
  expect_hit(argv);
  write_library("first", 4, ".a");
  expect_run(argv);
  EXPECT_EQ(exit_code_of_program(), 4);
  write_library("first", 5, ".a");
  expect_run(argv);
  EXPECT_EQ(exit_code_of_program(), 5);
  fs::remove(project_ / "first/libpart.a");
  expect_hit(argv);
}

TEST_P(PlainLink, AMemberOfAnArchiveThatChangesIsSeen) {
  write_library("lib", 3, ".a");
  expect_run(command("main.o lib/libpart.a -o program"));
  expect_hit(command("main.o lib/libpart.a -o program"));
  write_library("lib", 4, ".a");
  expect_run(command("main.o lib/libpart.a -o program"));
  EXPECT_EQ(exit_code_of_program(), 4);
}

TEST_P(PlainLink, ScriptsOfVersionsAndOfInputsAreInputs) {
  project_.write("versions", "ONE { global: part; local: *; };\n");
  const Arguments argv = command("-shared part.o -Wl,--version-script=versions -o libout.so");
  expect_run(argv);
  expect_hit(argv);
  project_.write("versions", "TWO { global: part; local: *; };\n");
  expect_run(argv);

  // gold lists -L directories and looks there for relative names, so the program is written elsewhere.
  project_.write("scripts/libpart.so", "INPUT(" + (project_ / "part.o") + ")\n");
  const Arguments by_script = command("main.o -Lscripts -lpart -o program");
  expect_run(by_script);
  expect_hit(by_script);
  write_part("other", 7);
  project_.write("scripts/libpart.so", "INPUT(" + (project_ / "other.o") + ")\n");
  expect_run(by_script);
  EXPECT_EQ(exit_code_of_program(), 7);
}

TEST_P(PlainLink, AVariableThatTheDriverOrTheLinkerAsksForIsAnInput) {
  write_library("some", 3, ".a");  // not "lib": gcc also looks into other/../lib
  write_library("other", 4, ".a");
  const Arguments argv = command("main.o -lpart -o program");
  expect_run(argv, {{"LIBRARY_PATH", project_ / "some"}});
  expect_run(argv, {{"LIBRARY_PATH", project_ / "other"}});
  EXPECT_EQ(exit_code_of_program(), 4);
  expect_hit(argv, {{"LIBRARY_PATH", project_ / "some"}, {"UNRELATED", "1"}});
  EXPECT_EQ(exit_code_of_program(), 3);
}

TEST_P(PlainLink, ASourceMayBeCompiledOnTheWay) {
  expect_run(command("main.c part.c -o program"));
  expect_hit(command("main.c part.c -o program"));
  project_.write("part.c", "int part(void) { return 8; }\n");
  expect_run(command("main.c part.c -o program"));
  EXPECT_EQ(exit_code_of_program(), 8);
}

TEST_P(PlainLink, FailsAsTheLinkerFailsAndStoresNothing) {
  for (int time = 0; time < 2; ++time) {
    const Counts counted = check(command("main.o -o program"));
    EXPECT_NE(oracle_.exit_code(), 0);
    EXPECT_EQ(counted.hits, 0);
  }
}

TEST_P(PlainLink, WhatChanceOrAnEarlierRunDecidesIsTheLinkersAlone) {
  expect_passed("linker-option", command("main.o part.o -Wl,--thinlto-cache-dir=cache -o program"));
  expect_passed("response-file", command("main.o -Wl,@more -o program"));
  for (const char* flag : {"--build-id=uuid", "--stats"})
    for (int time = 0; time < 2; ++time)
      cache_.run(command("main.o part.o -Wl," + std::string(flag) + " -o program"), project_.path());
  EXPECT_EQ(cache_.counts().reasons.at("linker-option"), 3);
  EXPECT_EQ(cache_.counts().reasons.at("statistics"), 2);
  EXPECT_EQ(cache_.counts().misses, 0);
}

TEST_P(PlainLink, ALinkInTheProgramsPlaceIsTheLinkersToFollow) {
  expect_run(command());
  fs::rename(project_ / "program", project_ / "real");
  project_.link("program", "real");
  expect_passed("output-not-a-regular-file", command());
}

TEST_P(PlainLink, AnotherNameOfTheProgramKeepsTheOldOne) {
  expect_run(command());
  write_part("part", 2);
  expect_run(command());
  write_part("part", 1);
  fs::create_hard_link(project_ / "program", project_ / "kept");
  if (GetParam().find("mold") != std::string::npos) {  // it writes into the file that is there
    expect_passed("output-not-a-regular-file", command());
    return;
  }
  expect_hit(command());
  EXPECT_EQ(exit_code_of_program(), 1);
  EXPECT_EQ(run({"./kept"}, project_.path()).exit_code, 2);
}

TEST_P(PlainLink, ASecondCheckoutSharesWhatDoesNotShowItsDirectory) {
  const auto counted_in = [this](const std::string& checkout, const std::string& rest) {
    for (const char* object : {"main.o", "part.o"}) {
      project_.make_directory(checkout);
      fs::copy_file(project_ / object, project_ / (checkout + "/" + object), fs::copy_options::overwrite_existing);
    }
    Oracle oracle(cache_, project_ / checkout);
    return oracle.check(command(rest), {{"HIPCACHE_BASEDIR", project_ / checkout}});
  };
  EXPECT_EQ(counted_in("one", "main.o part.o -o program").run.at("link"), 1);
  EXPECT_EQ(counted_in("two", "main.o part.o -o program").hits, 1);
  const std::string rpath = "main.o part.o -o shows -Wl,-rpath,";
  EXPECT_EQ(counted_in("one", rpath + (project_ / "one/lib")).run.at("link"), 1);
  EXPECT_EQ(counted_in("two", rpath + (project_ / "two/lib")).run.at("link"), 1) << "the program shows where it is";
  EXPECT_EQ(counted_in("two", rpath + (project_ / "two/lib")).hits, 1);
}

// A program of 64 MiB is linked in a fraction of a second.
TEST_P(PlainLink, IsNotStoredWhereItSavesTooLittleForItsSize) {
  project_.write("large.s", ".data\n.globl large\nlarge: .fill 8388608, 8, 1\n.section .note.GNU-stack,\"\"\n");
  run_alone("gcc -c large.s -o large.o");
  const Arguments argv = command("main.o part.o large.o -o program");
  Cache small(Variables{{"HIPCACHE_MAX_SIZE", "1G"}});  // a fiftieth of that is less than the program
  EXPECT_EQ(small.run(argv, project_.path()).exit_code, 0);
  EXPECT_EQ(small.counts().not_stored.at("not-worth-storing"), 1);
  EXPECT_LT(small.counts().json.at("store").at("bytes").get<std::int64_t>(), 8 << 20);
  fs::remove(project_ / "program");
  EXPECT_EQ(small.run(argv, project_.path()).exit_code, 0);
  EXPECT_EQ(small.counts().reasons.at("not-worth-storing"), 1) << "known from the first run";
  EXPECT_EQ(small.counts().run.at("link"), 1);
}

TEST_P(PlainLink, LeavesALargeProgramThatReplacesAnotherToTheLinker) {
  expect_run(command());
  fs::resize_file(project_ / "program", 17 << 20);
  expect_hit(command());
  fs::resize_file(project_ / "program", 17 << 20);
  write_part("part", 2);
  expect_passed("not-worth-storing", command());
  EXPECT_EQ(exit_code_of_program(), 2);
}

class LinkByDirectory : public PlainLink {};

TEST_P(LinkByDirectory, IsRunAgainByAnotherLinker) {
  project_.make_directory("tools");
  fs::copy_file(fs::canonical("/usr/bin/ld.bfd"), project_ / "tools/ld");
  const Arguments argv = command("-Btools main.o part.o -o program");
  expect_run(argv);
  expect_hit(argv);
  fs::remove(project_ / "tools/ld");
  fs::copy_file(fs::canonical("/usr/bin/ld.gold"), project_ / "tools/ld");
  expect_run(argv);
  expect_hit(argv);
}

// By the plugins that GNU's linkers load (gcc's and LLVM's), and by lld itself.
class LinkTimeOptimization : public PlainLink {};

TEST_P(LinkTimeOptimization, IsCachedWhereItLeavesNoNamesOfItsOwn) {
  // With "auto", gcc starts make, which enters the directory in which it is.
  for (const std::string option : {"-flto", "-flto=auto"}) {
    SCOPED_TRACE(option);
    const auto compile_for_it = [&](const std::string& name) {
      run_alone(command().front() + " " + option + " -O2 -c " + name + ".c -o " + name + ".o");
    };
    project_.write("part.c", "int part(void) { return 8; }\n");
    for (const char* name : {"main", "part"}) compile_for_it(name);
    const Arguments argv = command(option + " -O2 main.o part.o -o program");
    expect_run(argv);
    expect_hit(argv);
    project_.write("part.c", "int part(void) { return 9; }\n");
    compile_for_it("part");
    expect_run(argv);
    EXPECT_EQ(exit_code_of_program(), 9);
  }
}

// Of these linkers, only GNU ld makes one for these targets.
class ImportLibrary : public PlainLink {};

TEST_P(ImportLibrary, ComesBackAndIsAnotherOneForAnotherObject) {
  const Arguments argv = command("main.o part.o -o program -Wl,--out-implib,program.lib");
  expect_run(argv);
  const std::string made = support::read_bytes(project_ / "program.lib");
  fs::remove(project_ / "program.lib");
  expect_hit(argv);
  EXPECT_TRUE(support::read_bytes(project_ / "program.lib") == made);
  project_.write("part.c", "int part(void) { return 1; }\nint more(void) { return 2; }\n");
  compile("part");
  expect_run(argv);
}

std::string name_of_command(const testing::TestParamInfo<std::string>& command) {
  std::string name = command.param;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkByDirectory, testing::Values("gcc", "clang-19"), name_of_command);
INSTANTIATE_TEST_SUITE_P(Drivers, LinkTimeOptimization,
                         testing::Values("gcc", "gcc -fuse-ld=gold", "clang-15 -fuse-ld=bfd", "clang-15 -fuse-ld=gold",
                                         "clang-15 -fuse-ld=lld", "clang-19 -fuse-ld=bfd", "clang-19 -fuse-ld=gold",
                                         "clang-19 -fuse-ld=lld"),
                         name_of_command);
INSTANTIATE_TEST_SUITE_P(Drivers, ImportLibrary, testing::Values("gcc", "clang-19"), name_of_command);
INSTANTIATE_TEST_SUITE_P(Commands, PlainLink,
                         testing::Values("gcc", "gcc -fuse-ld=gold", "gcc -fuse-ld=mold", "clang-15", "clang-19",
                                         "clang-19 -fuse-ld=lld"),
                         name_of_command);

// Linkers that are run without a driver.
class BareLinker : public PlainLink {};

TEST_P(BareLinker, IsCachedAsItsDriverIs) {
  expect_run(command("-r main.o part.o -o all.o"));
  expect_hit(command("-r main.o part.o -o all.o"));
  write_part("part", 2);
  expect_run(command("-r main.o part.o -o all.o"));
  expect_run(command("-shared part.o -o libpart.so"));
  expect_hit(command("-shared part.o -o libpart.so"));
}

TEST_P(BareLinker, AFileThatIsInputAndOutputAtOnceIsNotStored) {
  const Counts counted = check(command("-r main.o part.o -o main.o"));
  // Why it was not stored is kept, as an action.
  EXPECT_LE(counted.json.at("store").at("actions"), 1) << counted.json.dump();
  if (oracle_.exit_code() != 0) return;  // GNU ld itself refuses that
  EXPECT_EQ(counted.not_stored.at("reads-own-output"), 1) << counted.json.dump();
}

TEST_P(BareLinker, IsAskedForItsVersionUncached) { expect_passed("driver-information", command("--version")); }

INSTANTIATE_TEST_SUITE_P(Linkers, BareLinker, testing::Values("ld", "ld.gold", "ld.lld-19"), name_of_command);

}  // namespace
}  // namespace hipcache::integration
