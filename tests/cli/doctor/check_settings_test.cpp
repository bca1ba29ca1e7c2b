#include "cli/doctor/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/scratch.h"

namespace hipcache::cli {
namespace {

using testing::HasSubstr;

Examination examine(std::vector<std::string> variables) {
  variables.emplace_back("HOME=/h");
  Examination examination(variables);
  check_settings(examination);
  return examination;
}

std::string all(const Examination& examination) {
  std::string lines;
  for (const Finding& finding : examination.findings.all()) lines += to_line(finding);
  return lines;
}

TEST(CheckSettings, ValidOnesAreOkAndNamed) {
  EXPECT_EQ(all(examine({})), "ok       settings: all are at their defaults\n");
  EXPECT_EQ(all(examine({"HIPCACHE_JOBS=3", "HIPCACHE_MAX_SIZE=5G"})),
            "ok       settings are valid; given are max_size, jobs\n");
}

TEST(CheckSettings, AnInvalidOneIsAnError) {
  const Examination examination = examine({"HIPCACHE_JOBS=many"});
  EXPECT_TRUE(examination.findings.has_error());
  EXPECT_THAT(all(examination), HasSubstr("error    HIPCACHE_JOBS: \"many\" is not a number"));
}

TEST(CheckSettings, AnUnknownKeyOfTheFileIsAnErrorWithTheKeyThatMayBeMeant) {
  const support::Scratch scratch;
  const Examination examination = examine({"HIPCACHE_CONFIG=" + scratch.write("h.toml", "maxsize = '5G'\n")});
  EXPECT_THAT(all(examination), HasSubstr("is max_size meant?"));
  EXPECT_TRUE(examination.findings.has_error());
}

TEST(CheckSettings, AMissingFileIsAWarning) {
  EXPECT_THAT(all(examine({"HIPCACHE_CONFIG=/none/h.toml"})), HasSubstr("warning  HIPCACHE_CONFIG names /none/h.toml"));
}

TEST(CheckSettings, ARelativeCacheDirectoryIsAWarning) {
  EXPECT_THAT(all(examine({"HIPCACHE_DIR=cache"})),
              HasSubstr("warning  HIPCACHE_DIR is cache: each working directory"));
  EXPECT_EQ(examine({"HIPCACHE_DIR=/cache"}).findings.count(Level::warning), 0u);
}

TEST(CheckSettings, ConflictsAreWarningsAndForgottenSwitchesNotes) {
  EXPECT_THAT(all(examine({"HIPCACHE_READONLY=1", "HIPCACHE_RECACHE=1"})), HasSubstr("warning  readonly and recache"));
  EXPECT_THAT(all(examine({"HIPCACHE_READONLY=1"})), HasSubstr("note     readonly is set"));
}

TEST(CheckSettings, AnotherCacheThatABuildToolWouldUseIsAWarning) {
  EXPECT_THAT(all(examine({"CXX=ccache g++"})), HasSubstr("warning  CXX is ccache g++: another cache is in the way"));
  EXPECT_THAT(all(examine({"CMAKE_HIP_COMPILER_LAUNCHER=/usr/bin/sccache"})), HasSubstr("another cache"));
  EXPECT_EQ(examine({"CXX=g++", "CC=hipcache gcc"}).findings.count(Level::warning), 0u);
}

constexpr std::uint64_t kGigabyte = 1'000'000'000;

TEST(Space, IsEnoughIfTheStoreCanReachItsLimit) {
  const Disk disk{.size = 100 * kGigabyte, .free = 30 * kGigabyte};
  EXPECT_EQ(judge_space(disk, 20 * kGigabyte, 0).level, Level::ok);
  EXPECT_EQ(judge_space(disk, 40 * kGigabyte, 15 * kGigabyte).level, Level::ok) << "some of it is there already";
  EXPECT_EQ(judge_space(disk, 20 * kGigabyte, 25 * kGigabyte).level, Level::ok) << "it is about to shrink";
  EXPECT_EQ(judge_space(disk, 20 * kGigabyte, 5 * kGigabyte).text, "5.0 GB of 20.0 GB used, 30.0 GB free");
}

TEST(Space, IsTooLittleIfTheDiskIsFullBeforeThat) {
  const Finding finding = judge_space({.size = 100 * kGigabyte, .free = 3 * kGigabyte}, 20 * kGigabyte, 0);
  EXPECT_EQ(finding.level, Level::warning);
  EXPECT_THAT(finding.text, HasSubstr("the disk is full before the store reaches max_size"));
}

TEST(Space, IsTooLittleIfTheLimitIsMoreThanTheDisk) {
  const Finding finding = judge_space({.size = 10 * kGigabyte, .free = 10 * kGigabyte}, 20 * kGigabyte, 0);
  EXPECT_EQ(finding.level, Level::warning);
  EXPECT_EQ(finding.text, "max_size 20.0 GB is more than the disk of 10.0 GB holds; set max_size to less");
}

TEST(Space, WithoutALimitIsANote) { EXPECT_EQ(judge_space({.size = 1, .free = 1}, 0, 0).level, Level::note); }

TEST(FileSystems, OfNetworksAreKnownByName) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(0xFE534D42), "SMB");
  EXPECT_EQ(network_file_system(0xEF53), "") << "ext4";
}

TEST(Machine, TheChosenSettingOfHugePagesIsTheOneInBrackets) {
  EXPECT_EQ(chosen_in("always [madvise] never\n"), "madvise");
  EXPECT_EQ(chosen_in("always madvise [never]"), "never");
  EXPECT_EQ(chosen_in(""), "");
  EXPECT_EQ(chosen_in("]["), "");
}

class Directory : public testing::Test {
 protected:
  Examination examine(std::vector<std::string> variables) const {
    variables.emplace_back("HOME=" + scratch.path());
    Examination examination(variables);
    check_directory(examination);
    return examination;
  }
  std::string cache() const { return scratch / "cache"; }

  support::Scratch scratch;
};

TEST_F(Directory, IsMadeIfItIsMissing) {
  const Examination examination = examine({"HIPCACHE_DIR=" + cache()});
  EXPECT_TRUE(examination.has_directory);
  EXPECT_FALSE(examination.findings.has_error());
  EXPECT_TRUE(support::exists(cache()));
}

TEST_F(Directory, ThatOthersMayWriteToIsAnErrorWithItsMend) {
  scratch.make_directory("cache");
  ASSERT_EQ(chmod(cache().c_str(), 0777), 0);
  const Examination examination = examine({"HIPCACHE_DIR=" + cache()});
  EXPECT_FALSE(examination.has_directory);
  ASSERT_TRUE(examination.findings.has_error());
  EXPECT_THAT(examination.findings.all().front().text, HasSubstr("chmod o-w " + cache()));
}

TEST_F(Directory, WithADatabaseThatWasSetAsideIsAWarning) {
  scratch.make_directory("cache/v3/db.damaged-1764300000");
  ASSERT_EQ(chmod(cache().c_str(), 0700), 0);
  const Examination examination = examine({"HIPCACHE_DIR=" + cache()});
  ASSERT_EQ(examination.findings.count(Level::warning), 1u);
  EXPECT_THAT(examination.findings.all().front().text,
              HasSubstr("a damaged database was set aside as " + cache() + "/v3/db.damaged-1764300000"));
}

TEST_F(Directory, InAHomeThatDoesNotExistIsAnError) {
  EXPECT_TRUE(examine({"HOME=/nonexistent"}).findings.has_error());
}

TEST_F(Directory, ThatIsToBeSharedButIsOneUsersIsAWarning) {
  scratch.make_directory("cache");
  ASSERT_EQ(chmod(cache().c_str(), 0700), 0);
  const Examination examination = examine({"HIPCACHE_DIR=" + cache(), "HIPCACHE_UMASK=007"});
  ASSERT_EQ(examination.findings.count(Level::warning), 1u);
  EXPECT_FALSE(examination.findings.has_error());
}

}  // namespace
}  // namespace hipcache::cli
