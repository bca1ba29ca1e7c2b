// Who else can change what a path leads to: by the directory itself, one above it, or a link on the way.
#include "daemon/server/seed_stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using testing::HasSubstr;

constexpr uid_t kSomebody = 61001;
constexpr uid_t kAnother = 61002;

class TrustedWay : public testing::Test {
 protected:
  std::string error() const {
    const auto status = look_at_trusted(path_);
    return status ? "" : status.error().message;
  }

  void give(const std::string& path, uid_t user) const { ASSERT_EQ(lchown(path.c_str(), user, user), 0); }

  support::Scratch root_;
  const std::string path_ = root_.make_directory("way/seed");
  const std::string way_ = root_ / "way";
};

TEST_F(TrustedWay, IsOursAndNobodyElseMayWriteThere) { EXPECT_EQ(error(), ""); }

TEST_F(TrustedWay, EndsWhereOthersMayWrite) {
  for (const mode_t mode : {0777, 0770, 01777}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(error(), "others may write to " + path_) << std::oct << mode;
  }
}

TEST_F(TrustedWay, MayNotPassWhereOthersMayReplaceIt) {
  ASSERT_EQ(chmod(way_.c_str(), 0777), 0);
  EXPECT_EQ(error(), "others may write to " + way_);
  ASSERT_EQ(chmod(way_.c_str(), 01777), 0);
  EXPECT_EQ(error(), "") << "sticky";
}

TEST_F(TrustedWay, FollowsLinksAndLooksAtTheirWaysToo) {
  const std::string elsewhere = root_.make_directory("elsewhere/below");
  for (const std::string& target : {std::string("../elsewhere/./below"), elsewhere}) {
    ASSERT_EQ(rmdir(path_.c_str()) == 0 || unlink(path_.c_str()) == 0, true);
    root_.link("way/seed", target);
    EXPECT_EQ(error(), "") << target;
    ASSERT_EQ(chmod((root_ / "elsewhere").c_str(), 0777), 0);
    EXPECT_EQ(error(), "others may write to " + (root_ / "elsewhere")) << target;
    ASSERT_EQ(chmod((root_ / "elsewhere").c_str(), 0755), 0);
    struct stat below{};
    ASSERT_EQ(stat(elsewhere.c_str(), &below), 0);
    const auto found = look_at_trusted(path_);
    EXPECT_TRUE(found && found->st_ino == below.st_ino) << target;
  }
}

TEST_F(TrustedWay, EndsAtALinkToItself) {
  ASSERT_EQ(rmdir(path_.c_str()), 0);
  root_.link("way/seed", path_);
  EXPECT_THAT(error(), HasSubstr("too many links"));
}

TEST_F(TrustedWay, EndsWhereThereIsNothingOrNoDirectory) {
  ASSERT_EQ(rmdir(path_.c_str()), 0);
  EXPECT_EQ(look_at_trusted(path_).error().code, ErrorCode::gone);
  root_.write("way/seed", "");
  EXPECT_EQ(error(), path_ + " is no directory");
}

TEST_F(TrustedWay, BelongsToTheOwnerOfItsEndUsOrRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  give(path_, kSomebody);
  EXPECT_EQ(error(), "");
  give(way_, kSomebody);
  EXPECT_EQ(error(), "");
  give(way_, kAnother);
  EXPECT_EQ(error(), way_ + " belongs to user " + std::to_string(kAnother));
}

TEST_F(TrustedWay, BelowOneThatWasLookedAt) {
  EXPECT_TRUE(check_trusted_below(path_, kSomebody));
  ASSERT_EQ(chmod(path_.c_str(), 0770), 0);
  EXPECT_FALSE(check_trusted_below(path_, kSomebody));
  root_.link("way/link", root_.path());
  EXPECT_FALSE(check_trusted_below(way_ + "/link", kSomebody));
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(chmod(path_.c_str(), 0700), 0);
  give(path_, kSomebody);
  EXPECT_TRUE(check_trusted_below(path_, kSomebody));
  EXPECT_FALSE(check_trusted_below(path_, kAnother));
}

}  // namespace
}  // namespace hipcache::daemon
