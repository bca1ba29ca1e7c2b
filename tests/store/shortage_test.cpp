// A store that is opened where the machine is short of descriptors, memory or threads: it opens or it does not, and
// nothing that was stored is lost.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

constexpr uid_t kUser = 12345;  // one who has no threads yet

class ShortageTest : public StoreTest {
 protected:
  void SetUp() override {
    for (std::uint64_t opening = 0; opening < 3; ++opening) {
      open();  // each leaves table and blob files of its own
      for (std::uint64_t i = 0; i < 8; ++i) digests_.push_back(put_blob(value(digests_.size())));
    }
    close();
  }

  static std::string value(std::uint64_t number) { return noise(number, 20 * kKiB); }

  // Whether the store could be opened. A process that the shortage ends by a signal has not.
  bool opens_under(const std::string& resource, std::uint64_t limit, const std::string& user = "") {
    const std::string number = std::to_string(limit);
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen(join_path(root_, "said").c_str(), "w", stderr) == nullptr) _exit(2);
      execl(OPEN_UNDER, OPEN_UNDER, resource.c_str(), number.c_str(), options_.directory.c_str(),
            user.empty() ? nullptr : user.c_str(), nullptr);
      _exit(3);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  void expect_nothing_lost() {
    const auto said = read_file(join_path(root_, "said"), kMiB);
    EXPECT_FALSE(has_set_aside(version_opened())) << (said ? *said : "");
    EXPECT_FALSE(noted_damage(version_opened()));
    open();
    for (std::uint64_t i = 0; i < digests_.size(); ++i) EXPECT_TRUE(blob(digests_[i]) == value(i)) << i;
    close();
    EXPECT_EQ(log_text(), "");
  }

  std::vector<Digest> digests_;
};

TEST_F(ShortageTest, OfDescriptorsLosesNothing) {
  int failed = 0;
  int opened = 0;
  for (std::uint64_t limit = 3; limit < 48; ++limit) {
    SCOPED_TRACE(limit);
    ++(opens_under("nofile", limit) ? opened : failed);
    expect_nothing_lost();
  }
  EXPECT_GT(failed, 0) << "limits that are too low were tried";
  EXPECT_GT(opened, 0) << "limits that are high enough were tried";
}

#if !SANITIZED
TEST_F(ShortageTest, OfMemoryLosesNothing) {
  int failed = 0;
  int opened = 0;
  for (std::uint64_t limit = 8 * kMiB; limit < 512 * kMiB; limit += limit / 8) {
    SCOPED_TRACE(limit);
    ++(opens_under("as", limit) ? opened : failed);
    expect_nothing_lost();
  }
  EXPECT_GT(failed, 0) << "limits that are too low were tried";
  EXPECT_GT(opened, 0) << "limits that are high enough were tried";
}
#endif

TEST_F(ShortageTest, OfThreadsLosesNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root becomes a user who has no threads yet";
  const auto give_to = [this](uid_t user) {
    const std::string command = "chown -R " + std::to_string(user) + " '" + options_.directory + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
  };
  ASSERT_EQ(std::system(("chmod 711 '" + root_ + "'").c_str()), 0);
  int failed = 0;
  int opened = 0;
  for (std::uint64_t limit = 0; limit < 64; limit += 1 + limit / 4) {
    SCOPED_TRACE(limit);
    give_to(kUser);
    ++(opens_under("nproc", limit, std::to_string(kUser)) ? opened : failed);
    give_to(0);
    expect_nothing_lost();
  }
  EXPECT_GT(failed, 0) << "limits that are too low were tried";
  EXPECT_GT(opened, 0) << "limits that are high enough were tried";
}

}  // namespace
}  // namespace hipcache::store
