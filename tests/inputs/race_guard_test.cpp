// What the process got and what is there when it has ended: files change while it runs, and no file is newer than
// the run (the fixture's run starts after all that a test does).
#include "inputs/trace_fixture.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;

class RaceGuard : public TraceFixture {
 protected:
  RaceGuard() {
    write("project/a.h", "of the one");
    write("other/a.h", "of the other");
  }
  // Another directory in the place of the first, whose files are as old as they were.
  void swap() {
    rename("project", "aside");
    rename("other", "project");
    rename("aside", "other");
  }
};

TEST_F(RaceGuard, LetsWhatStayedAsItWasPass) {
  link("alias", "project");
  got(Kind::open_read, at("alias/a.h"));
  got(Kind::look, at("alias"));
  got(Kind::list, at("project"));
  got(Kind::link, at("alias"));
  got(Kind::real_path, at("alias/a.h"));
  got(Kind::real_path, ".");
  got(Kind::program, compiler_);
  EXPECT_EQ(refusal(), "");
}

TEST_F(RaceGuard, LetsASwappedDirectoryPassWhereTheProcessGotWhatIsThereNow) {
  swap();
  got(Kind::open_read, at("project/a.h"));
  EXPECT_EQ(refusal(), "");
}

TEST_F(RaceGuard, SeesADirectoryThatWasSwappedAfterAFileOfItWasOpened) {
  got(Kind::open_read, at("project/a.h"));
  swap();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesADirectoryThatWasSwappedAndSwappedBack) {
  swap();
  got(Kind::open_read, at("project/a.h"));
  swap();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesAnEmptyFileThatGotContentAfterALook) {
  write("data", "");
  got(Kind::look, at("data"));
  EXPECT_EQ(refusal(), "");
  write("data", "one");
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesAPathThatWasOpenedBeforeAndAfterASwap) {
  got(Kind::open_read, at("project/a.h"));
  swap();
  got(Kind::open_read, at("project/a.h"));
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesALinkedDirectoryThatLedElsewhereForAWhile) {
  link("include", "other");
  got(Kind::open_read, at("include/a.h"));
  rename("include", "was");
  link("include", "project");
  EXPECT_EQ(refusal(), "input-changed");
  remove("include");
  rename("was", "include");
  EXPECT_EQ(refusal(), "");
}

TEST_F(RaceGuard, SeesAHardLinkInThePlaceOfAnotherOneOfEqualContent) {
  write("project/b.h", "of the one");
  std::filesystem::create_hard_link(at("project/a.h"), at("include.h"));
  got(Kind::open_read, at("include.h"));
  remove("include.h");
  std::filesystem::create_hard_link(at("project/b.h"), at("include.h"));
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesAFileThatWasWrittenAfterItWasOpened) {
  got(Kind::open_read, at("project/a.h"));
  write("project/a.h", "longer than it was");
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesLibrariesAndProgramsOfASwappedDirectory) {
  write("project/libA.so", "elf");
  write("other/libA.so", "elf");
  for (const Kind kind : {Kind::library, Kind::program}) {
    trace_.records.clear();
    got(kind, at("project/libA.so"));
    EXPECT_EQ(refusal(), "");
    swap();
    EXPECT_EQ(refusal(), "input-changed");
    swap();
  }
}

TEST_F(RaceGuard, SeesAnotherDirectoryThanTheOneThatWasListed) {
  got(Kind::list, at("project"));
  swap();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesAnotherEntryThanTheOneThatWasLookedAt) {
  directory("project/entry");
  write("other/entry", "a file");
  got(Kind::look, at("project/entry"));
  swap();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, SeesAnotherTargetAndAnotherRealPath) {
  link("project/way", "a.h");
  link("other/way", "./a.h");
  got(Kind::link, at("project/way"));
  swap();
  EXPECT_EQ(refusal(), "input-changed");

  trace_.records.clear();
  remove("other/a.h");
  link("other/a.h", "b.h");
  write("other/b.h", "");
  got(Kind::real_path, at("project/a.h"));
  swap();
  EXPECT_EQ(refusal(), "input-changed");
}

TEST_F(RaceGuard, LetsOtherFilesAppearWhereTheProcessOnlyLooked) {
  got(Kind::look, at("project"));
  got(Kind::open_read, at("project"));
  got(Kind::look, at("project/a.h"));
  write("project/new.o", "");
  write("project/a.h", "written again");
  EXPECT_EQ(refusal(), "") << "an object beside the source, written meanwhile, is no input";
}

TEST_F(RaceGuard, UnderstandsALookAtTheLinkItself) {
  link("alias", "project");
  struct stat status = {};
  ASSERT_EQ(::lstat(at("alias").c_str(), &status), 0);
  trace_.records.push_back({Kind::look, true, at("alias"), trace::seen_entry(status)});
  EXPECT_EQ(refusal(), "");
  rename("alias", "was");
  link("alias", "project");
  EXPECT_EQ(refusal(), "input-changed");
}

}  // namespace
}  // namespace hipcache::inputs
