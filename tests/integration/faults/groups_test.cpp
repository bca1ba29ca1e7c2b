// Users of one group who share a cache directory. Each has a daemon and a store, and is served what the others have
// compiled. Nobody can change another user's files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "integration/support/party.h"
#include "integration/support/single_compile.h"
#include "support/other_users.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uid_t kFirst = 61001;
constexpr uid_t kSecond = 61002;
constexpr uid_t kOutsider = 61003;
constexpr gid_t kGroup = 61100;
constexpr mode_t kShared = 03770;

class Groups : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (const std::string why = support::why_not_as_others(hipcache_program()); !why.empty()) GTEST_SKIP() << why;
    write_kernel(project_, "a.hip");
    ASSERT_EQ(chmod(root_.path().c_str(), 0755), 0);
    ASSERT_EQ(chmod(project_.path().c_str(), 0777), 0);
    ASSERT_EQ(chmod((project_ / "a.hip").c_str(), 0644), 0);
    fs::create_directory(shared_);
    ASSERT_EQ(chown(shared_.c_str(), 0, kGroup), 0);
    ASSERT_EQ(chmod(shared_.c_str(), kShared), 0);
  }

  static Party user(uid_t number, const std::string& directory, const std::string& mask = "007", gid_t group = kGroup,
                    const std::string& readonly = "") {
    const std::string text = std::to_string(number);
    return Party({"setpriv", "--reuid=" + text, "--regid=" + text, "--groups=" + std::to_string(group)},
                 {{"HIPCACHE_DIR", directory},
                  {"HIPCACHE_CONFIG", "/dev/null"},
                  {"HIPCACHE_QUIET", "1"},
                  {"HIPCACHE_UMASK", mask},
                  {"HIPCACHE_SEED", ""},
                  {"HIPCACHE_READONLY", readonly}});
  }

  std::string compile(const Party& party, const std::string& flags = "-O1") {
    fs::remove(project_ / "a.o");
    const Ended ended = party.run(
        GetParam().hip() + archs({"gfx906", "gfx1030"}) + words(flags) + words("-c a.hip -o a.o"), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return support::read_bytes(project_ / "a.o");
  }

  static void expect_only_hits(const Party& party, int hits) {
    const Counts counted = party.counts();
    EXPECT_EQ(counted.hits, hits) << counted.json.dump();
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
    for (const auto& [step, number] : counted.run) EXPECT_EQ(number, 0) << step;
  }

  static mode_t mode_of(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }

  support::Scratch root_;
  support::Scratch project_;
  const std::string shared_ = root_ / "shared";
};

TEST_P(Groups, ASecondMemberIsServedWhatTheFirstHasCompiledAndRunsNothing) {
  const Party first = user(kFirst, shared_);
  const Party second = user(kSecond, shared_);
  const std::string object = compile(first);
  EXPECT_EQ(first.counts().misses, 1);
  EXPECT_TRUE(compile(second) == object);
  expect_only_hits(second, 1);
  const std::string other = compile(second, "-O0");
  second.counts();
  first.counts();
  EXPECT_TRUE(compile(first, "-O0") == other);
  EXPECT_EQ(first.counts().hits, 1) << "the other way round";
}

TEST_P(Groups, AMemberWhoOnlyReadsIsServedAndStoresNothing) {
  const Party first = user(kFirst, shared_);
  compile(first);
  first.counts();
  const Party reader = user(kSecond, shared_, "007", kGroup, "1");
  compile(reader);
  expect_only_hits(reader, 1);
  for (int i = 0; i < 2; ++i) compile(reader, "-O0");
  EXPECT_EQ(reader.counts().misses, 2);
}

TEST_P(Groups, TheFirstMemberMakesADirectoryThatTheOthersCanShare) {
  const std::string made = root_.make_directory("place") + "/made";
  ASSERT_EQ(chown((root_ / "place").c_str(), kFirst, kGroup), 0);
  ASSERT_EQ(chmod((root_ / "place").c_str(), 02755), 0);
  const Party first = user(kFirst, made);
  const Party second = user(kSecond, made);
  compile(first);
  first.counts();
  EXPECT_EQ(mode_of(made), kShared);
  compile(second);
  expect_only_hits(second, 1);
}

TEST_P(Groups, NobodyMayWriteToWhatIsAnothersAndTheDaemonsFilesAreTheirUsersAlone) {
  const Party first = user(kFirst, shared_);
  compile(first);
  first.counts();
  for (const auto& entry : fs::directory_iterator(shared_)) {
    if (entry.is_symlink()) continue;  // to the directory of the daemon that other namespaces ask: has no mode
    const bool is_daemons = entry.path().filename().string().starts_with(std::to_string(kFirst) + "-");
    EXPECT_EQ(mode_of(entry.path()), is_daemons ? 0700u : 02750u) << entry.path();
  }
  for (const auto& entry : fs::recursive_directory_iterator(shared_)) {
    if (entry.is_symlink()) continue;
    EXPECT_EQ(mode_of(entry.path()) & 0027u, 0u) << entry.path();
  }
}

TEST_P(Groups, WithoutTheSettingAMemberCompilesWithoutACacheAndTheOptionsNameIt) {
  const Party first = user(kFirst, shared_);
  compile(first);
  const Party second = user(kSecond, shared_, "");
  compile(second);
  const Ended shown = second.run({"--show-stats"}, "/");
  EXPECT_NE(shown.exit_code, 0);
  EXPECT_THAT(shown.err, HasSubstr("HIPCACHE_UMASK=007"));
  EXPECT_EQ(shown.err.find('\n'), shown.err.size() - 1);
}

TEST_P(Groups, OneWhoIsNoMemberIsRefused) {
  ASSERT_EQ(chmod(shared_.c_str(), 03775), 0);
  const Party outsider = user(kOutsider, shared_, "007", kOutsider);
  compile(outsider);
  const Ended shown = outsider.run({"--show-stats"}, "/");
  EXPECT_NE(shown.exit_code, 0);
  EXPECT_THAT(shown.err, HasSubstr("of which you are no member"));
}

TEST_P(Groups, ADirectoryWhereMembersCouldReplaceEachOthersFilesIsRefusedWithTheMend) {
  for (const mode_t mode : {02770, 01770}) {
    ASSERT_EQ(chmod(shared_.c_str(), mode), 0);
    const Party first = user(kFirst, shared_);
    compile(first);
    EXPECT_THAT(first.run({"--show-stats"}, "/").err, HasSubstr("chmod g+s,+t " + shared_)) << std::oct << mode;
    EXPECT_TRUE(fs::is_empty(shared_));
  }
}

TEST_P(Groups, AStoreOfOneOutsideOfTheGroupIsNotServed) {
  {
    const Party first = user(kFirst, shared_);
    compile(first);
    first.counts();
  }
  const std::string planted = shared_ + "/store-" + std::to_string(kFirst) + "-0";
  const std::string outsider = std::to_string(kOutsider);
  ASSERT_EQ(run({"chown", "-R", outsider + ":" + outsider, planted}, "/").exit_code, 0);
  ASSERT_EQ(run({"chmod", "-R", "a+rX", planted}, "/").exit_code, 0);
  const Party second = user(kSecond, shared_);
  compile(second);
  EXPECT_EQ(second.counts().misses, 1);
  EXPECT_EQ(second.counts().json.at("store").at("layers"), 0);
}

TEST_P(Groups, AStoreToWhichTheGroupMayWriteIsNotServed) {
  {
    const Party first = user(kFirst, shared_);
    compile(first);
    first.counts();
  }
  ASSERT_EQ(chmod((shared_ + "/store-" + std::to_string(kFirst) + "-0").c_str(), 0770), 0);
  const Party second = user(kSecond, shared_);
  compile(second);
  EXPECT_EQ(second.counts().misses, 1);
}

TEST_P(Groups, APrivateDirectoryStaysPrivate) {
  const std::string own = root_.make_directory("own");
  ASSERT_EQ(chown(own.c_str(), kFirst, kGroup), 0);
  ASSERT_EQ(chmod(own.c_str(), 0750), 0);
  const Party first = user(kFirst, own);
  compile(first);
  EXPECT_EQ(first.counts().misses, 1);
  const Party second = user(kSecond, own);
  compile(second);
  EXPECT_THAT(second.run({"--show-stats"}, "/").err, HasSubstr("belongs to user " + std::to_string(kFirst)));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Groups, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
