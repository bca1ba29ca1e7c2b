#include "daemon/request/request_roots.h"

#include <gmock/gmock.h>

#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using testing::ElementsAre;

class BaseDirectoriesTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { scratch_.write(name, text); }

  std::string repository(const std::string& name) const { return repository_of(scratch_ / name); }

  BaseDirectories bases(const std::vector<std::string>& setting, const std::string& directory,
                        const std::string& source = "") {
    from_.working_directory = directory;
    return base_directories_of(setting, {"gcc", "-c"}, source, from_);
  }

  support::Scratch scratch_;
  inputs::RunContext from_;
};

TEST_F(BaseDirectoriesTest, ThoseThatTheRequestConcernsComeFirst) {
  EXPECT_THAT(bases({"/one", "/two"}, "/two/x").all, ElementsAre("/two", "/one"));
  EXPECT_TRUE(bases({"/one", "/two"}, "/two/x").is_chosen);
  EXPECT_THAT(bases({"/one", "/two"}, "/twofold").all, ElementsAre("/one", "/two"));
}

TEST_F(BaseDirectoriesTest, KeepTheirOrderIfTheRequestConcernsAll) {
  EXPECT_THAT(bases({"/sources", "/builds/"}, "/builds/x", "/sources/a.c").all, ElementsAre("/sources", "/builds/"));
  EXPECT_FALSE(bases({"/sources", "/builds"}, "/builds/x", "/sources/a.c").is_chosen);
  EXPECT_FALSE(bases({"/sources"}, "/elsewhere").is_chosen);
}

TEST_F(BaseDirectoriesTest, APatternStandsForWhatItMatchesInTheRequest) {
  from_.working_directory = "/tmp/build";
  const auto all = [&](const std::vector<std::string>& setting, const std::vector<std::string>& argv) {
    return base_directories_of(setting, argv, "/src/a.c", from_).all;
  };
  const std::vector<std::string> argv{"gcc",        "-I/tmp/env-b/overlay/include",     "-isystem",
                                      "/tmp/env-a", "-fdebug-prefix-map=/tmp/env-c=/x", "-DX=\"/tmp/env-b/y\"",
                                      "/tmp/envy"};
  EXPECT_THAT(all({"/src", "/tmp/env-*"}, argv), ElementsAre("/src", "/tmp/env-b", "/tmp/env-a", "/tmp/env-c"));
  EXPECT_THAT(all({"/tmp/env-?/"}, argv), ElementsAre("/tmp/env-b", "/tmp/env-a", "/tmp/env-c"));
  EXPECT_THAT(all({"/tmp/env-[ab]/overlay"}, argv), ElementsAre("/tmp/env-b/overlay"));
  EXPECT_THAT(all({"/tmp/other-*"}, argv), ElementsAre());
  EXPECT_THAT(all({"/tmp/b*"}, argv), ElementsAre("/tmp/build"));
  const std::string real = scratch_.make_directory("a*b");
  EXPECT_THAT(all({real}, argv), ElementsAre(real)) << "a directory of that very name";
}

TEST_F(BaseDirectoriesTest, WithoutASettingTheNearestCheckoutAroundTheSourceCounts) {
  write("outer/.git/config", "");
  write("outer/sub/.git", "gitdir: ../.git/modules/sub\n");
  EXPECT_THAT(bases({}, "/", scratch_ / "outer/lib/../sub/src/a.c").all, ElementsAre(scratch_ / "outer/sub"));
  EXPECT_THAT(bases({}, "/", scratch_ / "outer/src/a.c").all, ElementsAre(scratch_ / "outer"));
  EXPECT_THAT(bases({}, scratch_ / "outer/src").all, ElementsAre(scratch_ / "outer"));
  EXPECT_THAT(bases({}, "/").all, ElementsAre());
}

TEST_F(BaseDirectoriesTest, WorktreesOfOneRepositoryAgreeAndSubmodulesDoNot) {
  write("main/.git/config", "[core]\n");
  write("main/.git/worktrees/w/commondir", "../..\n");
  write("w/.git", "gitdir: " + (scratch_ / "main/.git/worktrees/w") + "\n");
  for (const std::string module : {"a", "b"}) {
    write("main/.git/modules/" + module + "/config", "[core]\n");
    write("main/" + module + "/.git", "gitdir: ../.git/modules/" + module + "\n");
  }
  EXPECT_EQ(repository("main"), repository("w"));
  EXPECT_EQ(repository("main/x"), repository("w/x"));
  EXPECT_NE(repository("main/x"), repository("main/y"));
  EXPECT_NE(repository("main/a"), repository("main/b"));
  EXPECT_NE(repository("main/a"), repository("main"));
}

TEST_F(BaseDirectoriesTest, ClonesOfOneOriginAgree) {
  write("one/.git/config", "[branch \"x\"]\n\turl = no\n[remote \"origin\"]\n\turl = https://h/p.git\n");
  write("two/.git/config", "[remote \"origin\"]\n\tfetch = x\n\turl=https://h/p.git\n[remote \"o\"]\n\turl = no\n");
  write("three/.git/config", "[remote \"origin\"]\n\turl = https://h/q.git\n");
  EXPECT_EQ(repository("one"), repository("two"));
  EXPECT_NE(repository("one"), repository("three"));
  EXPECT_NE(repository("no/checkout"), repository("another"));
}

TEST_F(BaseDirectoriesTest, WhereHipccUnpackedArchivesIsARootIfOnlyInputsNameIt) {
  from_.working_directory = "/";
  const auto portable = [&](const std::string& word, std::vector<std::string> argv) {
    argv.insert(argv.begin(), "clang++");
    return roots_of(argv, "/usr/bin/clang++", from_, {}).portable_argument(word);
  };
  const std::string one = "/tmp/hipccAb3_efgh/d.o", two = "/tmp/hipcc01234567/d.o";
  const std::vector<std::string> inputs{"-fgpu-rdc", one, one, "-lm", two};
  EXPECT_EQ(portable(one, inputs), portable("/tmp/hipccZZZZZZZZ/d.o", {"/tmp/hipccZZZZZZZZ/d.o"}));
  EXPECT_NE(portable(one, inputs), one);
  EXPECT_NE(portable(one, inputs), portable(two, inputs));
  const std::string packed = "/tmp/hipccAb3_efgh/libx.a", packed_now = packed + "a_9Z", packed_then = packed + "0000";
  EXPECT_EQ(portable(packed_now, {one, packed_now}), portable(packed_then, {one, packed_then}));
  EXPECT_NE(portable(packed_now, {one, packed_now}), portable(packed, {one, packed}));
  const std::string other = "/tmp/hipccAb3_efgh/liby.aa_9Z";
  EXPECT_NE(portable(packed_now, {one, packed_now}), portable(other, {one, other}));
  EXPECT_NE(portable(packed + "a_9-", {one, packed + "a_9-"}), portable(packed + "0000", {one, packed + "0000"}));
  for (const std::string& word : {std::string("/tmp/hipcc/d.o"), std::string("/tmp/hipcc12345678"),
                                  std::string("/tmp/hipcc123456789/d.o"), std::string("/home/hipcc12345678/d.o")})
    EXPECT_EQ(portable(word, {word}), word);
  for (const std::vector<std::string>& argv : {std::vector<std::string>{one, "-Wl,@/tmp/hipccAb3_efgh/response_file"},
                                               {one, "-Xlinker", one},
                                               {one, "--unknown", one},
                                               {one, "-I/tmp/hipccAb3_efgh"},
                                               {one, "-flto"},
                                               {one, "@words"}})
    EXPECT_EQ(portable(one, argv), one) << testing::PrintToString(argv);
}

}  // namespace
}  // namespace hipcache::daemon
