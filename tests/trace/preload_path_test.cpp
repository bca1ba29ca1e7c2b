// What the library records of each call, shown with a program that makes the calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "hipcache/base/files.h"
#include "hipcache/trace/seen.h"
#include "trace/traced.h"

namespace hipcache::trace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class Preload : public testing::Test {
 protected:
  Traced traced;

  void SetUp() override {
    traced.scratch.write("there", "bytes");
    traced.scratch.write("folder/inside", "bytes");
  }

  // Runs a group of calls; the program itself says whether libc did as it should, tracing or not.
  void run(const std::string& group) {
    EXPECT_EQ(traced.run({test_program("trace_hooks"), group}).exit_code, 0) << group << "\n" << traced.output;
    EXPECT_EQ(traced.trace.ends, 1U);
  }

  void link_to_file(const std::vector<std::string>& names) {
    for (const std::string& name : names) traced.scratch.link(name, "there");
  }

  static struct stat status_of(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status;
  }

  void expect_each_seen(Kind kind, std::uint64_t seen, const std::vector<std::string>& names) {
    for (const std::string& name : names) EXPECT_THAT(traced.seen(kind, name), ElementsAre(seen)) << name;
  }

  void expect_each(Kind kind, bool found, const std::vector<std::string>& names) {
    for (const std::string& name : names) EXPECT_TRUE(traced.has(kind, found, name)) << name << "\n" << traced.dump();
  }
};

TEST_F(Preload, RecordsEveryWayOfOpeningAFileForReading) {
  const std::vector<std::string> names{"r-open",   "r-open64",   "r-openat",   "r-openat64",
                                       "r-open_2", "r-open64_2", "r-openat_2", "r-openat64_2",
                                       "r-fopen",  "r-fopen64",  "r-freopen",  "r-freopen64"};
  link_to_file(names);
  run("read");
  expect_each(Kind::open_read, true, names);
  expect_each_seen(Kind::open_read, seen_file(status_of(traced.scratch / "there")), names);
  EXPECT_THAT(traced.texts(Kind::open_write), IsEmpty());
}

TEST_F(Preload, NamesTheProcessByItsOwnNumberAsItself) {
  EXPECT_EQ(traced.run({"/bin/sh", "-c", "exec readlink /proc/$$/cwd"}).exit_code, 0) << traced.output;
  EXPECT_THAT(traced.seen(Kind::link, "/proc/self/cwd"), ElementsAre(seen_text(real_path(traced.scratch.path()))));
}

TEST_F(Preload, RecordsEveryWayOfOpeningAFileForWriting) {
  run("write");
  expect_each(Kind::open_write, true,
              {"w-open", "w-open64", "w-openat", "w-openat64", "w-creat", "w-creat64", "w-fopen", "w-fopen64"});
  EXPECT_THAT(traced.texts(Kind::open_read), IsEmpty());
}

TEST_F(Preload, HandsTheModeOfANewFileOn) { run("mode"); }

TEST_F(Preload, RecordsWhatWasNotThereToOpenAndKeepsErrno) {
  run("absent");
  expect_each(Kind::open_read, false, {"absent-open", "absent-fopen"});
}

TEST_F(Preload, RecordsAFileThatIsReadAndWrittenAsBothButOnlyIfItHadSomethingToRead) {
  traced.scratch.write("w-old", "old");
  traced.scratch.write("w-cut", "old");
  run("both");
  expect_each(Kind::open_write, true, {"there", "fresh", "w-old", "w-new", "w-cut"});
  EXPECT_THAT(traced.texts(Kind::open_read), ElementsAre("there", "w-old"));
}

TEST_F(Preload, RecordsDirectoriesThatAreListedOnceForEachWayOfListing) {
  const std::vector<std::string> names{"folder-open", "folder-fdopendir", "folder-scandir", "folder-scandir64"};
  for (const std::string& name : names) traced.scratch.make_directory(name);
  run("directories");
  expect_each(Kind::list, true, {"folder", "folder-open", "folder-scandir", "folder-scandir64"});
  // By its descriptor only the absolute path is known.
  EXPECT_TRUE(traced.has(Kind::list, true, traced.scratch / "folder-fdopendir")) << traced.dump();
  EXPECT_TRUE(traced.has(Kind::list, false, "absent"));
  for (const std::string& name : traced.texts(Kind::list)) {
    if (name == "absent") continue;
    const std::string path = name.starts_with('/') ? name : traced.scratch / name;
    EXPECT_THAT(traced.seen(Kind::list, name), ElementsAre(seen_entry(status_of(path)))) << name;
  }
}

TEST_F(Preload, RecordsAPatternOfNamesInOneDirectoryAsItsListing) {
  run("patterns");
  expect_each(Kind::list, true, {".", "folder", "/usr"});
  EXPECT_THAT(traced.seen(Kind::list, "/usr"), ElementsAre(seen_entry(status_of("/usr"))));
  EXPECT_TRUE(traced.has(Kind::list, false, "absent"));
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
  run("glob-with-marks");
  EXPECT_THAT(traced.texts(Kind::unknown), ElementsAre("glob: fold*")) << "it asks what each of them is";
}

TEST_F(Preload, RecordsADescriptorForThePathOnlyAsALook) {
  run("path-only");
  EXPECT_TRUE(traced.has(Kind::look, true, "there"));
  EXPECT_THAT(traced.texts(Kind::open_read), IsEmpty());
}

TEST_F(Preload, CannotTellWhatAPathBelowADescriptorNamesAndSaysSo) {
  run("of-descriptor");
  EXPECT_THAT(traced.texts(Kind::unknown), ElementsAre("openat: inside"));
}

TEST_F(Preload, RecordsTheKernelsOwnTreesButNotTheNamesOfOwnDescriptors) {
  run("of-the-kernel");
  EXPECT_THAT(traced.texts(Kind::open_read),
              ElementsAre("/dev/../etc/passwd", "/dev/null", "/proc/self/cwd/there", "/proc/self/status"));
  EXPECT_THAT(traced.texts(Kind::open_write), ElementsAre("/dev/null"));
  EXPECT_THAT(traced.texts(Kind::link), ElementsAre("/proc/self/fd/0/x"));
}

TEST_F(Preload, WritesARecordOncePerProcess) {
  run("again");
  std::size_t count = 0;
  for (auto at = traced.raw.find("there"); at != std::string::npos; at = traced.raw.find("there", at + 1)) ++count;
  EXPECT_EQ(count, 1U);
}

TEST_F(Preload, RecordsAPathTooLongForARecordAsUnknown) {
  run("long");
  EXPECT_THAT(traced.texts(Kind::unknown), ElementsAre(StartsWith("text too long: xxx")));
}

TEST_F(Preload, LetsANullPathPass) {
  run("null");
  EXPECT_THAT(traced.texts(Kind::open_read), IsEmpty());
}

TEST_F(Preload, RecordsOnWhenTheProgramHasClosedAllDescriptorsAndNeverWritesIntoItsFiles) {
  run("all-closed");
  EXPECT_TRUE(traced.has(Kind::open_read, true, "there"));
  EXPECT_EQ(std::filesystem::file_size(traced.scratch / "w-taken"), 0U);
}

TEST_F(Preload, RecordsEachPathOfManyThreadsOnce) {
  run("threads");
  EXPECT_EQ(traced.texts(Kind::open_read).size(), 300U);
  std::size_t written = 0;
  for (auto at = traced.raw.find("absent-"); at != std::string::npos; at = traced.raw.find("absent-", at + 1))
    ++written;
  EXPECT_EQ(written, 300U);
}

TEST_F(Preload, RecordsEveryWayOfLookingForAPath) {
  const std::vector<std::string> names{"r-stat",       "r-stat64", "r-lstat",  "r-lstat64",   "r-fstatat",
                                       "r-fstatat64",  "r-statx",  "r-access", "r-faccessat", "r-eaccess",
                                       "r-euidaccess", "r-statfs", "r-statvfs"};
  link_to_file(names);
  run("look");
  expect_each(Kind::look, true, names);
  const std::uint64_t there = seen_entry(status_of(traced.scratch / "there"));
  expect_each_seen(Kind::look, there, {"r-stat", "r-stat64", "r-fstatat", "r-fstatat64", "r-statx"});
  expect_each_seen(Kind::look, 0, {"r-access", "r-faccessat", "r-eaccess", "r-euidaccess", "r-statfs", "r-statvfs"});
  for (const std::string name : {"r-lstat", "r-lstat64"}) {
    struct stat link = {};
    ASSERT_EQ(::lstat((traced.scratch / name).c_str(), &link), 0);
    EXPECT_THAT(traced.seen(Kind::look, name), ElementsAre(seen_entry(link))) << name;
  }
}

TEST_F(Preload, RecordsALookInVainAndKeepsErrno) {
  run("look-in-vain");
  EXPECT_TRUE(traced.has(Kind::look, false, "absent"));
}

TEST_F(Preload, RecordsNoLookAtADescriptor) {
  run("look-at-descriptor");
  EXPECT_THAT(traced.texts(Kind::look), IsEmpty());
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
}

#if defined(__x86_64__)
TEST_F(Preload, RecordsLooksOfProgramsBuiltForAnOlderLibc) {
  const std::vector<std::string> names{"r-xstat", "r-lxstat", "r-xstat64", "r-lxstat64", "r-fxstatat", "r-fxstatat64"};
  link_to_file(names);
  run("look-as-of-old");
  expect_each(Kind::look, true, names);
  for (const std::string& name : names) EXPECT_THAT(traced.seen(Kind::look, name), Not(ElementsAre(0U))) << name;
}
#endif

TEST_F(Preload, RecordsLinksThatAreReadAndPathsThatAreNone) {
  const std::vector<std::string> names{"r-readlink", "r-readlinkat", "r-readlink_chk"};
  link_to_file(names);
  run("links");
  expect_each(Kind::link, true, names);
  expect_each_seen(Kind::link, seen_text("there"), names);
  EXPECT_TRUE(traced.has(Kind::link, false, "there"));
}

TEST_F(Preload, RecordsPathsThatAreResolved) {
  const std::vector<std::string> names{"r-realpath", "r-realpath_chk", "r-canonicalize"};
  link_to_file(names);
  run("real-paths");
  expect_each(Kind::real_path, true, names);
  expect_each_seen(Kind::real_path, seen_text(std::filesystem::canonical(traced.scratch / "there").string()), names);
  EXPECT_TRUE(traced.has(Kind::real_path, false, "absent"));
}

TEST_F(Preload, RecordsAQuestionForTheWorkingDirectoryAsTheRealPathOfTheDot) {
  run("working-directory");
  EXPECT_THAT(traced.seen(Kind::real_path, "."),
              ElementsAre(seen_text(std::filesystem::canonical(traced.scratch.path()).string())));
}

TEST_F(Preload, TellsTheFilesApartThatOnePathNamedInTurn) {
  const std::uint64_t first = seen_file(status_of(traced.scratch / "folder/inside"));
  traced.scratch.write("other/inside", "bytes");
  const std::uint64_t second = seen_file(status_of(traced.scratch / "other/inside"));
  run("swapped");
  EXPECT_THAT(traced.seen(Kind::open_read, "folder/inside"), UnorderedElementsAre(first, second)) << traced.dump();
}

TEST_F(Preload, TellsTheStatesOfAFileApartThatGrowsBetweenTwoReads) {
  run("grows");
  EXPECT_THAT(traced.seen(Kind::open_read, "there"), SizeIs(2)) << traced.dump();
  EXPECT_THAT(traced.seen(Kind::look, "there"), SizeIs(1)) << "still the same file";
}

TEST_F(Preload, SaysWhichProgramRanAndWhichLibrariesItGot) {
  const std::string program = test_program("trace_hooks");
  run("absent");
  EXPECT_THAT(traced.seen(Kind::program, program), ElementsAre(seen_file(status_of(program))));
  for (const std::string& library : traced.texts(Kind::library))
    EXPECT_THAT(traced.seen(Kind::library, library), ElementsAre(seen_file(status_of(library)))) << library;
}

TEST_F(Preload, RecordsTheNamesOfVariablesAndWhetherTheyAreSetButNoValues) {
  traced.changes["TRACE_TEST_SET"] = "a value";
  run("variables");
  EXPECT_TRUE(traced.has(Kind::variable, true, "TRACE_TEST_SET"));
  EXPECT_TRUE(traced.has(Kind::variable, false, "TRACE_TEST_UNSET"));
  EXPECT_TRUE(traced.has(Kind::variable, false, "TRACE_TEST_SECURE"));
  EXPECT_EQ(traced.raw.find("a value"), std::string::npos);
}

TEST_F(Preload, RecordsTheVariablesThatLibcAsksForBehindALocale) {
  run("locale");
  EXPECT_THAT(traced.texts(Kind::variable), Contains("LC_ALL"));
  EXPECT_THAT(traced.texts(Kind::variable), Contains("LANG"));
  run("locale-asked");
  EXPECT_THAT(traced.texts(Kind::variable), Not(Contains("LC_ALL")));
}

TEST_F(Preload, RecordsTheFilesThatLibcOpensForALocaleAndItsMessages) {
  traced.changes["LC_ALL"] = "C.UTF-8";
  traced.changes["LANGUAGE"] = "xx_YY:zz";
  run("catalogues");
  for (const char* file : {"catalogues/xx_YY/LC_MESSAGES/early.mo", "catalogues/xx/LC_MESSAGES/early.mo",
                           "catalogues/zz/LC_MESSAGES/early.mo", "catalogues/xx_YY/LC_MESSAGES/late.mo",
                           "/usr/share/locale/zz/LC_MESSAGES/libc.mo", "/usr/lib/locale/C/LC_CTYPE"})
    EXPECT_TRUE(traced.has(Kind::open_read, false, file)) << file;
  EXPECT_THAT(traced.texts(Kind::open_read), Contains("/usr/lib/locale/C.utf8/LC_MESSAGES/SYS_LC_MESSAGES"));
  EXPECT_THAT(traced.texts(Kind::open_read), Contains("/usr/lib/locale/locale-archive"));
  EXPECT_THAT(traced.texts(Kind::variable), Contains("LANGUAGE"));
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
  traced.changes["LC_ALL"] = "C";
  run("catalogues");
  EXPECT_THAT(traced.texts(Kind::open_read), IsEmpty());
}

TEST_F(Preload, RecordsTheTablesOfCharacterSetsAndRefusesTheUsersOwn) {
  run("character-sets");
  for (const char* file : {"/gconv/gconv-modules.cache", "/gconv/gconv-modules"})
    EXPECT_THAT(traced.texts(Kind::open_read), Contains(testing::EndsWith(file)));
  EXPECT_THAT(traced.texts(Kind::list), Contains(testing::EndsWith("/gconv/gconv-modules.d")));
  EXPECT_THAT(traced.texts(Kind::variable), Contains("GCONV_PATH"));
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
  traced.changes["GCONV_PATH"] = traced.scratch.path();
  run("character-sets");
  EXPECT_EQ(traced.texts(Kind::unknown).size(), 1U);
}

TEST_F(Preload, RecordsTheListsOfUsersAndTheMachine) {
  run("users");
  EXPECT_THAT(traced.texts(Kind::open_read), Contains("/etc/passwd"));
  EXPECT_TRUE(traced.has(Kind::look, false, "/run/nscd/socket"));
  run("machine");
  EXPECT_THAT(traced.texts(Kind::machine), ElementsAre("uname"));
}

TEST_F(Preload, RecordsSystemCallsThatOpenAndLookAsItRecordsLibcsFunctions) {
  traced.scratch.link("link", "there");
  run("system-calls");
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
  expect_each_seen(Kind::open_read, seen_file(status_of(traced.scratch / "there")), {"there"});
  expect_each_seen(Kind::look, seen_entry(status_of(traced.scratch / "folder/inside")), {"folder/inside"});
  expect_each_seen(Kind::link, seen_text("there"), {"link"});
  expect_each(Kind::look, true, {"folder"});
  EXPECT_TRUE(traced.has(Kind::open_read, false, "absent")) << traced.dump();
  EXPECT_TRUE(traced.has(Kind::look, false, "missing")) << traced.dump();
  EXPECT_TRUE(traced.has(Kind::link, false, "no-link")) << traced.dump();
}

TEST_F(Preload, SaysThatItCannotFollowCallsAroundLibc) {
  run("watch");
  EXPECT_EQ(traced.texts(Kind::unknown).size(), 1U);
  run("system-call-that-writes");
  EXPECT_THAT(traced.texts(Kind::unknown), ElementsAre("syscall: unlinkat"));
  run("harmless-system-call");
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
}

TEST_F(Preload, RecordsLocalTimeAsTheClockAndUniversalTimeAsADate) {
  for (const char* call : {"localtime", "localtime_r"}) {
    run(call);
    EXPECT_EQ(traced.texts(Kind::clock).size(), 1U) << call;
  }
  for (const char* call : {"gmtime", "gmtime_r"}) {
    run(call);
    EXPECT_THAT(traced.texts(Kind::clock), IsEmpty()) << call;
    EXPECT_EQ(traced.texts(Kind::date).size(), 1U) << call;
  }
}

TEST_F(Preload, RecordsWalksInsideLibcAndNewWorkingDirectoriesAsUnknown) {
  for (const char* call : {"glob", "nftw", "chdir", "fchdir"}) {
    run(call);
    EXPECT_THAT(traced.texts(Kind::unknown), ElementsAre(StartsWith(std::string(call) + ": "))) << call;
  }
  run("chdir-in-vain");
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
}

// The path may be a link that leads elsewhere the next time.
TEST_F(Preload, RecordsTheWorkingDirectoryAsARealPathIfItIsEnteredAgain) {
  run("chdir-here");
  EXPECT_THAT(traced.texts(Kind::unknown), IsEmpty());
  expect_each(Kind::real_path, true, {"."});
}

TEST_F(Preload, RecordsEveryChangeOfTheFileSystemAsWriting) {
  run("prepare");
  run("change");
  expect_each(Kind::open_write, true,
              {"w-unlink",    "w-unlinkat",       "w-remove",       "w-rmdir",         "w-rename-from", "w-rename-to",
               "w-mkdir",     "w-mkdirat",        "w-renameat-to",  "w-renameat-from", "w-symlink",     "w-symlinkat",
               "w-link",      "w-linkat",         "w-truncate",     "w-chmod",         "w-fchmodat",    "w-utime",
               "w-utimensat", "w-renameat2-from", "w-renameat2-to", "w-mkfifo"});
  EXPECT_THAT(traced.texts(Kind::open_read), ElementsAre("there"));
}

TEST_F(Preload, RecordsTemporaryFilesUnderTheNameThatTheyGot) {
  run("make-temporary");
  EXPECT_THAT(traced.texts(Kind::open_write),
              ElementsAre(StartsWith("w-mkdtemp-"), StartsWith("w-mkostemp-"), StartsWith("w-mkostemps-"),
                          StartsWith("w-mkstemp-"), StartsWith("w-mkstemps-")));
  for (const std::string& name : traced.texts(Kind::open_write)) {
    EXPECT_TRUE(support::exists(traced.scratch / name)) << name;
  }
}

}  // namespace
}  // namespace hipcache::trace
