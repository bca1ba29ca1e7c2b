#include "hipcache/config/conflicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "support/scratch.h"

namespace hipcache::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Conflicts : public testing::Test {
 protected:
  // "mistake: text" or "remark: text" for each that is found.
  static std::vector<std::string> found(const Settings& settings) {
    std::vector<std::string> texts;
    for (const Conflict& conflict : conflicts(settings))
      texts.push_back((conflict.is_mistake ? "mistake: " : "remark: ") + conflict.text);
    return texts;
  }

  Settings with(const std::function<void(Settings&)>& change) const {
    Settings settings;
    settings.directory = scratch / "cache";
    change(settings);
    return settings;
  }

  support::Scratch scratch;
};

TEST_F(Conflicts, AListOfBaseDirectoriesIsNotSccaches) {
  const std::string one = scratch.make_directory("one"), two = scratch.make_directory("two");
  EXPECT_THAT(found(with([&](Settings& settings) { settings.base_directories = {one}; })), IsEmpty());
  EXPECT_THAT(found(with([&](Settings& settings) { settings.base_directories = {one, two}; })),
              ElementsAre(testing::AllOf(HasSubstr("remark: basedir is a list: "), HasSubstr("Those of sccache"))));
}

TEST_F(Conflicts, DefaultsHaveNone) {
  EXPECT_THAT(found(with([](Settings&) {})), IsEmpty());
}

TEST_F(Conflicts, ReadonlyAndRecacheUndoEachOther) {
  EXPECT_THAT(found(with([](Settings& s) { s.readonly = s.recache = true; })),
              ElementsAre(HasSubstr("mistake: readonly and recache are both set")));
  EXPECT_THAT(found(with([](Settings& s) { s.readonly = true; })), ElementsAre(HasSubstr("remark: readonly is set")));
  EXPECT_THAT(found(with([](Settings& s) { s.recache = true; })), ElementsAre(HasSubstr("remark: recache is set")));
}

TEST_F(Conflicts, SwitchesThatPeopleForgetAreRemarks) {
  EXPECT_THAT(found(with([](Settings& s) { s.disable = true; })), ElementsAre(HasSubstr("remark: disable is set")));
  EXPECT_THAT(found(with([](Settings& s) { s.cuid = "keep"; })), ElementsAre(HasSubstr("remark: cuid is keep")));
}

TEST_F(Conflicts, AuditsNeedACacheThatIsWritten) {
  EXPECT_THAT(found(with([](Settings& s) { s.readonly = true, s.audit = 0.5; })),
              testing::Contains(HasSubstr("mistake: audit does nothing")));
  EXPECT_THAT(found(with([](Settings& s) { s.readonly = true, s.audit = 0; })),
              ElementsAre(HasSubstr("remark: readonly is set")));
}

TEST_F(Conflicts, ABaseDirectoryExistsAndHasAPlainName) {
  const std::string blank = scratch.make_directory("my checkout");
  EXPECT_THAT(
      found(with([&](Settings& s) { s.base_directories = {scratch / "none", scratch.path()}; })),
      testing::Contains("mistake: basedir " + (scratch / "none") + " is no directory; name the root of the checkout"));
  EXPECT_THAT(found(with([&](Settings& s) { s.base_directories = {blank}; })),
              ElementsAre(HasSubstr("mistake: basedir " + blank + " does not count")));
  EXPECT_THAT(found(with([&](Settings& s) { s.base_directories.assign(17, scratch.path()); })),
              ElementsAre(HasSubstr("more than 16 directories")));
}

TEST_F(Conflicts, ASeedIsAnotherDirectoryThatExists) {
  EXPECT_THAT(found(with([&](Settings& s) { s.seeds = {scratch / "none", scratch / "cache"}; })),
              ElementsAre(HasSubstr("mistake: seed " + (scratch / "none") + " is no directory"),
                          HasSubstr("is the cache directory itself")));
}

TEST_F(Conflicts, ASigningKeySignsWhatGoesToSharedCaches) {
  const std::string key = scratch.write("key", "bytes");
  EXPECT_THAT(found(with([&](Settings& s) { s.signing_key = key; })),
              ElementsAre(HasSubstr("remark: signing_key is set without remote")));
  EXPECT_THAT(found(with([&](Settings& s) { s.signing_key = key, s.remote = {"file:///c"}; })), IsEmpty());
  EXPECT_THAT(found(with([&](Settings& s) { s.signing_key = key, s.remote = {"file:///c?mode=ro"}; })),
              ElementsAre(HasSubstr("mistake: signing_key signs nothing")));
  EXPECT_THAT(found(with([&](Settings& s) { s.signing_key = scratch / "none", s.remote = {"file:///c"}; })),
              ElementsAre(HasSubstr("mistake: cannot read the file of signing_key: ")));
  EXPECT_THAT(
      found(with([&](Settings& s) { s.signing_key = key, s.remote = {"file:///c"}, s.seeds = {scratch.path()}; })),
      ElementsAre(HasSubstr("mistake: seed does nothing while signing_key is set")));
}

TEST_F(Conflicts, WorkersThatAreNotTrustedMakeNothingForSharedCaches) {
  const auto engine = [](Settings& settings, const std::string& options) {
    settings.execute = *parse_execute_url("grpc://engine:8980/" + options);
  };
  EXPECT_THAT(found(with([&](Settings& s) { engine(s, ""); })), IsEmpty());
  EXPECT_THAT(found(with([&](Settings& s) {
                engine(s, "");
                s.remote = {"http://cache/"};
              })),
              ElementsAre(HasSubstr("mistake: execute does nothing")));
  EXPECT_THAT(found(with([&](Settings& s) {
                engine(s, "?trusted=true");
                s.remote = {"http://cache/"};
              })),
              IsEmpty());
}

TEST_F(Conflicts, TiersThatAreOnlyWrittenServeNothing) {
  EXPECT_THAT(found(with([](Settings& s) { s.remote = {"file:///c?mode=wo"}; })),
              ElementsAre(HasSubstr("remark: remote has only tiers with mode=wo")));
  EXPECT_THAT(found(with([](Settings& s) { s.remote = {"file:///c?mode=wo", "file:///d"}; })), IsEmpty());
  EXPECT_THAT(found(with([](Settings& s) { s.remote = {"file:///c?mode=wo"}, s.readonly = true; })),
              testing::Contains(HasSubstr("mistake: remote does nothing")));
}

TEST_F(Conflicts, ALogIsInADirectoryThatCanBeWritten) {
  EXPECT_THAT(found(with([&](Settings& s) { s.log = scratch / "new.log"; })), IsEmpty());
  EXPECT_THAT(found(with([&](Settings& s) { s.log = scratch.write("old.log", ""); })), IsEmpty());
  EXPECT_THAT(found(with([](Settings& s) { s.log = "stderr"; })), IsEmpty());
  EXPECT_THAT(found(with([&](Settings& s) { s.log = scratch / "none/a.log"; })),
              ElementsAre(HasSubstr("mistake: cannot write log " + (scratch / "none/a.log"))));
}

}  // namespace
}  // namespace hipcache::config
