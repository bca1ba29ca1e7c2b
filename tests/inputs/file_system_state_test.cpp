#include <limits.h>
#include <stdlib.h>

#include "inputs/answers/state_encoder.h"
#include "inputs/state_fixture.h"

namespace hipcache::inputs {
namespace {

class FileSystemStateTest : public StateFixture {
 protected:
  // Asks twice, so that the second answer comes from memory; does the change; asks again.
  template <typename Change>
  bool sees(Question question, const std::string& name, Change change) {
    return sees(PathSet({{question, name}}), change);
  }
  template <typename Change>
  bool sees(const PathSet& set, Change change) {
    const Digest before = state(set);
    EXPECT_EQ(state(set), before) << "nothing changed";
    change();
    let_stamps_settle();
    const Digest after = state(set);
    EXPECT_EQ(state(set), after) << "nothing changed since";
    return after != before;
  }
  std::string program(const std::string& name) {
    std::string path = write(name, "elf");
    EXPECT_EQ(chmod(path.c_str(), 0755), 0);
    return path;
  }
  template <typename Change>
  bool sees_content(const std::string& name, Change change) {
    return sees(Question::content, name, change);
  }
  template <typename Change>
  bool sees_presence(const std::string& name, Change change) {
    return sees(Question::presence, name, change);
  }
};

TEST_F(FileSystemStateTest, SeesAnEditOfAFile) {
  write("a.h", "one");
  EXPECT_TRUE(sees_content(at("a.h"), [&] { write("a.h", "two"); }));
}

TEST_F(FileSystemStateTest, SeesThatATouchedFileIsTheSame) {
  write("a.h", "one");
  EXPECT_FALSE(sees_content(
      at("a.h"), [&] { std::filesystem::last_write_time(at("a.h"), std::filesystem::file_time_type::clock::now()); }));
}

TEST_F(FileSystemStateTest, SeesThatARewrittenFileWithTheOldBytesIsTheSame) {
  write("a.h", "one");
  EXPECT_FALSE(sees_content(at("a.h"), [&] {
    remove("a.h");
    write("a.h", "one");
  }));
}

TEST_F(FileSystemStateTest, SeesAnEditThatKeepsSizeAndModificationTime) {
  write("a.h", "one");
  EXPECT_TRUE(sees_content(at("a.h"), [&] {
    const auto time = std::filesystem::last_write_time(at("a.h"));
    write("a.h", "two");
    std::filesystem::last_write_time(at("a.h"), time);
  }));
}

TEST_F(FileSystemStateTest, SeesAFileReplacedByRename) {
  write("a.h", "one");
  write("new.h", "two");
  EXPECT_TRUE(sees_content(at("a.h"), [&] { rename("new.h", "a.h"); }));
}

TEST_F(FileSystemStateTest, SeesAFileGoneOrTurnedIntoADirectory) {
  write("a.h", "one");
  write("b.h", "one");
  EXPECT_TRUE(sees_content(at("a.h"), [&] { remove("a.h"); }));
  EXPECT_TRUE(sees_content(at("b.h"), [&] {
    remove("b.h");
    directory("b.h");
  }));
}

TEST_F(FileSystemStateTest, TellsAbsentDirectoryAndEmptyFileApartAsContent) {
  write("empty", "");
  directory("directory");
  const Digest absent = state(Question::content, "x");
  remove("x");
  write("x", "");
  const Digest empty = state(Question::content, "x");
  remove("x");
  directory("x");
  const Digest as_directory = state(Question::content, "x");
  EXPECT_NE(absent, empty);
  EXPECT_NE(empty, as_directory);
  EXPECT_NE(as_directory, absent);
}

TEST_F(FileSystemStateTest, CountsRelativeNamesFromTheWorkingDirectory) {
  write("one/a.h", "same");
  write("two/a.h", "same");
  const PathSet set({{Question::content, "a.h"}});
  const Digest one = file_system_.state(set, {at("one"), {}});
  EXPECT_EQ(file_system_.state(set, {at("two"), {}}), one);
  write("two/a.h", "other");
  EXPECT_NE(file_system_.state(set, {at("two"), {}}), one);
  EXPECT_EQ(file_system_.state(set, {at("one"), {}}), one);
}

TEST_F(FileSystemStateTest, SeesNamesThatBecomeOneFile) {
  write("a.h", "same");
  write("b.h", "same");
  const PathSet set({{Question::content, at("a.h")}, {Question::content, at("b.h")}});
  EXPECT_TRUE(sees(set, [&] { retarget("b.h", "a.h"); }));
}

TEST_F(FileSystemStateTest, SeesNamesOfOneFileComeApartInto) {
  write("a.h", "same");
  std::filesystem::create_hard_link(at("a.h"), at("b.h"));
  const PathSet set({{Question::content, at("a.h")}, {Question::content, at("b.h")}});
  EXPECT_TRUE(sees(set, [&] {
    remove("b.h");
    write("b.h", "same");
  }));
}

TEST_F(FileSystemStateTest, SeesWhetherAFileIsEmptyButNotItsSize) {
  for (const auto mode : {std::filesystem::perms::owner_read, std::filesystem::perms::owner_all}) {
    write("data", "one");
    const auto make = [&](const std::string& bytes) {
      remove("data");
      write("data", bytes);
      std::filesystem::permissions(at("data"), mode);
    };
    make("one");
    EXPECT_FALSE(sees_presence(at("data"), [&] { make("two, three"); }));
    EXPECT_TRUE(sees_presence(at("data"), [&] { make(""); }));
    EXPECT_TRUE(sees_presence(at("data"), [&] { make("one"); }));
    remove("data");
  }
}

TEST_F(FileSystemStateTest, SeesDirectoriesThatWereOneComeApart) {
  directory("one");
  link("two", "one");
  const PathSet set({{Question::presence, at("one")}, {Question::presence, at("two")}});
  const Digest before = file_system_.state(set, here());
  std::filesystem::remove(at("two"));
  directory("two");
  const Digest apart = file_system_.state(set, here());
  EXPECT_NE(apart, before);
  std::filesystem::remove(at("two"));
  link("two", "one");
  EXPECT_EQ(file_system_.state(set, here()), before);
}

TEST_F(FileSystemStateTest, SeesSizesAndTimesWhereTheyAreAskedFor) {
  write("a.h", "one");
  const auto touch = [&] {
    std::filesystem::last_write_time(at("a.h"), std::filesystem::file_time_type::clock::now());
  };
  EXPECT_FALSE(sees(Question::size, at("a.h"), touch));
  EXPECT_TRUE(sees(Question::size_and_time, at("a.h"), touch));
  EXPECT_TRUE(sees(Question::size, at("a.h"), [&] { write("a.h", "three"); }));
}

TEST_F(FileSystemStateTest, SeesAnAbsentFileAppear) {
  write("include/other.h", "");
  EXPECT_TRUE(sees_presence(at("include/a.h"), [&] { write("include/a.h", ""); }));
}

TEST_F(FileSystemStateTest, SeesAnAbsentFileAppearInADirectoryThatDidNotExist) {
  EXPECT_TRUE(sees_presence(at("no/such/directory/a.h"), [&] { write("no/such/directory/a.h", ""); }));
}

TEST_F(FileSystemStateTest, SeesThatADirectoryThatAppearedHasNoSuchFile) {
  EXPECT_FALSE(sees_presence(at("no/such/a.h"), [&] { write("no/such/b.h", ""); }));
}

TEST_F(FileSystemStateTest, SeesAnAbsentFileAppearWhereAFileWasInsteadOfADirectory) {
  write("include", "a file");
  EXPECT_TRUE(sees_presence(at("include/a.h"), [&] {
    remove("include");
    write("include/a.h", "");
  }));
}

TEST_F(FileSystemStateTest, SeesAnAbsentFileThroughADirectoryReplacedByALink) {
  write("include/b.h", "");
  write("elsewhere/a.h", "");
  EXPECT_TRUE(sees_presence(at("include/a.h"), [&] { retarget("include", "elsewhere"); }));
}

TEST_F(FileSystemStateTest, SeesAnAbsentFileThroughARetargetedLink) {
  directory("one");
  write("two/a.h", "");
  link("include", "one");
  EXPECT_TRUE(sees_presence(at("include/a.h"), [&] { retarget("include", "two"); }));
}

TEST_F(FileSystemStateTest, SeesAnAbsentFileThroughARenamedDirectory) {
  directory("include");
  write("other/a.h", "");
  EXPECT_TRUE(sees_presence(at("include/a.h"), [&] {
    remove("include");
    rename("other", "include");
  }));
}

TEST_F(FileSystemStateTest, SeesTheTargetOfADanglingLinkAppear) {
  directory("include");
  link("include/a.h", at("elsewhere.h"));
  EXPECT_TRUE(sees_presence(at("include/a.h"), [&] { write("elsewhere.h", ""); }));
}

TEST_F(FileSystemStateTest, SeesAPresentFileGo) {
  write("a.h", "");
  EXPECT_TRUE(sees_presence(at("a.h"), [&] { remove("a.h"); }));
}

TEST_F(FileSystemStateTest, DoesNotMindTheContentOfWhatIsOnlyPresent) {
  write("a.h", "one");
  EXPECT_FALSE(sees_presence(at("a.h"), [&] { write("a.h", "two"); }));
}

TEST_F(FileSystemStateTest, SeesAFileBecomeExecutable) {
  write("tool", "");
  EXPECT_TRUE(sees_presence(at("tool"), [&] { ::chmod(at("tool").c_str(), 0755); }));
}

TEST_F(FileSystemStateTest, FollowsDotDotThroughALinkAsTheKernelDoes) {
  directory("far/away");
  link("near", "far/away");
  const std::string name = at("near/../a.h");  // far/a.h, not a.h
  EXPECT_FALSE(sees_presence(name, [&] { write("a.h", ""); }));
  EXPECT_TRUE(sees_presence(name, [&] { write("far/a.h", ""); }));
}

TEST_F(FileSystemStateTest, SeesThroughDotDotOfADirectoryThatAppears) {
  write("a.h", "");
  EXPECT_TRUE(sees_presence(at("gone/../a.h"), [&] { directory("gone"); }));
}

TEST_F(FileSystemStateTest, TakesTrailingSlashesDotsAndDoubledSlashesAsTheyAre) {
  write("file", "");
  EXPECT_NE(state(Question::presence, at("file")), state(Question::presence, at("file/")));
  EXPECT_TRUE(sees_presence(at("x//"), [&] { directory("x"); }));
  EXPECT_TRUE(sees_presence(at(".//y/./z"), [&] { write("y/z", ""); }));
  EXPECT_TRUE(sees_presence(at("w/."), [&] { directory("w"); }));
  EXPECT_TRUE(sees_presence(at("v/"), [&] { link("v", at("w")); }));
  EXPECT_TRUE(sees_presence("u", [&] { write("u", ""); }));
}

TEST_F(FileSystemStateTest, HasAnAnswerForNamesThatCannotBe) {
  const std::string too_long(5000, 'x');
  const std::string long_component = at(std::string(300, 'x'));
  for (const std::string& name :
       {too_long, "/" + too_long, long_component, std::string(), std::string("/"), std::string("//")})
    EXPECT_FALSE(sees_presence(name, [] {})) << name.substr(0, 40);
}

TEST_F(FileSystemStateTest, SeesTheTargetOfALinkChange) {
  link("l", "one");
  EXPECT_TRUE(sees(Question::link, at("l"), [&] { retarget("l", "two"); }));
  EXPECT_TRUE(sees(Question::link, at("l"), [&] { remove("l"); }));
  EXPECT_TRUE(sees(Question::link, at("l"), [&] { write("l", ""); }));
}

TEST_F(FileSystemStateTest, SeesALinkBecomeAFileAndBack) {
  write("l", "");
  EXPECT_TRUE(sees(Question::link, at("l"), [&] { retarget("l", "two"); }));
  EXPECT_TRUE(sees(Question::link, at("l"), [&] {
    remove("l");
    write("l", "");
  }));
}

TEST_F(FileSystemStateTest, SeesALinkThroughADirectoryThatIsReplaced) {
  link("d/l", "one");
  link("other/l", "two");
  EXPECT_TRUE(sees(Question::link, at("d/l"), [&] {
    rename("d", "before");
    rename("other", "d");
  }));
  EXPECT_TRUE(sees(Question::link, at("d/l"), [&] {
    remove("d");
    link("d", "before");
  }));
}

TEST_F(FileSystemStateTest, ReadsALinkUnderItsNameAlone) {
  directory("d");
  link("l", "d");
  const Digest slashed = state(Question::link, at("l/"));
  EXPECT_EQ(state(Question::link, at("l/")), slashed);
  EXPECT_FALSE(sees(Question::link, at("l/"), [&] { retarget("l", at("d")); })) << "what it leads to is no link";
  EXPECT_FALSE(sees(Question::link, at("d/."), [&] { write("d/a", ""); }));
}

TEST_F(FileSystemStateTest, SeesTheProgramThatPathLeadsToChange) {
  directory("early");
  program("late/lld");
  environment_ = {"PATH=" + at("early") + ":" + at("late")};
  EXPECT_FALSE(sees(Question::program, "lld", [&] { program("early/other"); }));
  EXPECT_FALSE(sees(Question::program, "lld", [&] { write("early/lld", "not executable"); }));
  EXPECT_TRUE(sees(Question::program, "lld", [&] { program("early/lld"); }));
  EXPECT_TRUE(sees(Question::program, "lld", [&] { environment_ = {"PATH=" + at("late") + ":" + at("early")}; }));
  EXPECT_TRUE(sees(Question::program, "lld", [&] { remove("late/lld"); }));
  EXPECT_TRUE(sees(Question::program, "lld", [&] { remove("early"); }));
  EXPECT_TRUE(sees(Question::program, "lld", [&] { link("early", program("x/lld").substr(0, at("x").size())); }));
}

TEST_F(FileSystemStateTest, SeesNamesComeAndGoInAListing) {
  write("d/a", "");
  EXPECT_TRUE(sees(Question::listing, at("d"), [&] { write("d/b", ""); }));
  EXPECT_TRUE(sees(Question::listing, at("d"), [&] { remove("d/a"); }));
  EXPECT_FALSE(sees(Question::listing, at("d"), [&] {
    write("d/c", "");
    remove("d/c");
  }));
  EXPECT_FALSE(sees(Question::listing, at("d"), [&] { write("d/b", "edited"); }));
  EXPECT_TRUE(sees(Question::listing, at("d"), [&] { remove("d"); }));
  EXPECT_TRUE(sees(Question::listing, at("d"), [&] { write("d", ""); }));
}

TEST_F(FileSystemStateTest, SeesOnlyTheNamesThatClangTakesFromAListing) {
  write("d/rocm-6.1/a", "");
  write("d/ocml.bc", "");
  EXPECT_FALSE(sees(Question::rocm_listing, at("d"), [&] { write("d/other", ""); }));
  EXPECT_TRUE(sees(Question::rocm_listing, at("d"), [&] { write("d/rocm-6.2/a", ""); }));
  EXPECT_FALSE(sees(Question::bitcode_listing, at("d"), [&] { remove("d/rocm-6.1"); }));
  EXPECT_TRUE(sees(Question::bitcode_listing, at("d"), [&] { remove("d/ocml.bc"); }));
}

TEST_F(FileSystemStateTest, SeesTheRealPathChange) {
  write("one/a", "");
  write("two/a", "");
  link("l", "one");
  EXPECT_TRUE(sees(Question::real_path, at("l/a"), [&] { retarget("l", "two"); }));
  EXPECT_FALSE(sees(Question::real_path, at("l/a"), [&] { write("two/a", "edited"); }));
  EXPECT_TRUE(sees(Question::real_path, at("l/a"), [&] { remove("l"); }));
  write("deep/er/a", "");
  EXPECT_TRUE(sees(Question::real_path, at("deep/er/a"), [&] {
    rename("deep", "elsewhere");
    link("deep", "elsewhere");
  }));
  EXPECT_TRUE(sees(Question::real_path, at("elsewhere/er/a"), [&] {
    remove("elsewhere/er/a");
    link("elsewhere/er/a", at("two/a"));
  }));
}

// Each spelling, from memory and afresh, is what the C library says.
TEST_F(FileSystemStateTest, TellsTheRealPathAsTheLibraryDoes) {
  write("two/a", "");
  link("l", "two");
  link("two/back", "..");
  link("two/b", "a");
  for (const std::string name : {"two/a", "l/a", "l/b", "two/b", "l/../two/a", "two/./a", "two//a", "l/back/l/b", "l/",
                                 "two/", "two/back", "l/back/two/.", "l/.."}) {
    char resolved[PATH_MAX];
    ASSERT_NE(::realpath(at(name).c_str(), resolved), nullptr) << name;
    const PathSet set({{Question::real_path, at(name)}});
    StateEncoder answers;
    answers.add(Answer::text, resolved);
    answers.add_twins();
    const Digest expected = answers.finish(set.id()).digest;
    EXPECT_EQ(state(set), expected) << name;
    EXPECT_EQ(state(set), expected) << name << ", from memory";
  }
}

TEST_F(FileSystemStateTest, SeesAVariableChangeAndTellsEmptyFromUnset) {
  EXPECT_TRUE(sees(Question::variable, "CPATH", [&] { environment_ = {"CPATH="}; }));
  EXPECT_TRUE(sees(Question::variable, "CPATH", [&] { environment_ = {"CPATH=/x"}; }));
  EXPECT_FALSE(sees(Question::variable, "CPATH", [&] { environment_ = {"CPATH=/x", "OTHER=y"}; }));
}

TEST_F(FileSystemStateTest, SeesTheWorkingDirectoryChangePhysicalAndLogical) {
  const std::string real = directory("real");
  const std::string logical = link("logical", "real");
  const PathSet set({{Question::working_directory, ""}});
  const Digest plain = file_system_.state(set, {real, {}});
  RunContext from{real, {"PWD=" + logical}};
  EXPECT_EQ(file_system_.state(set, from), plain) << "leads elsewhere";
  from.pwd_leads_here = true;
  EXPECT_NE(file_system_.state(set, from), plain);
  EXPECT_NE(file_system_.state(set, {scratch_.path(), {}}), plain);
}

TEST_F(FileSystemStateTest, GivesTheDigestOfAFileAlone) {
  EXPECT_EQ(*file_system_.content(write("a", "bytes")), digest_of("bytes"));
  EXPECT_FALSE(file_system_.content(at("absent")).ok());
  EXPECT_FALSE(file_system_.content(scratch_.path()).ok());
  EXPECT_TRUE(file_system_.exists(at("a")));
  EXPECT_FALSE(file_system_.exists(at("absent")));
}

}  // namespace
}  // namespace hipcache::inputs
