#include "daemon/request/foreign_mounts.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

// A process in a namespace of its own, which does what the test says next and confirms each.
class ForeignMountsTest : public testing::Test {
 protected:
  ~ForeignMountsTest() override {
    if (child_ <= 0) return;
    close(orders_[1]);
    waitpid(child_, nullptr, 0);
  }

  bool start(const std::vector<std::function<bool()>>& steps) {
    if (pipe(orders_) != 0 || pipe(replies_) != 0) return false;
    child_ = fork();
    if (child_ == 0) {
      close(orders_[1]);
      char order = 0;
      for (const auto& step : steps) {
        if (read(orders_[0], &order, 1) != 1) break;
        order = step() ? 'y' : 'n';
        if (write(replies_[1], &order, 1) != 1) break;
      }
      while (read(orders_[0], &order, 1) == 1) {
      }
      _exit(0);
    }
    close(orders_[0]);
    return next();
  }

  bool next() {
    char reply = 'y';
    return write(orders_[1], &reply, 1) == 1 && read(replies_[0], &reply, 1) == 1 && reply == 'y';
  }

  std::shared_ptr<ForeignMounts> look(const std::string& directory) const {
    struct stat status{};
    stat(("/proc/" + std::to_string(child_) + "/ns/mnt").c_str(), &status);
    protocol::CompileRequest request;
    request.working_directory = directory;
    request.mount_view.mount_namespace = status.st_ino;
    return ForeignMounts::like_own(child_, request);
  }

  static bool own_namespace() {
    return unshare(CLONE_NEWNS) == 0 && mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }

  support::Scratch scratch_;
  const std::string here_ = std::filesystem::current_path();
  pid_t child_ = 0;
  int orders_[2] = {-1, -1};
  int replies_[2] = {-1, -1};
};

TEST_F(ForeignMountsTest, AreLikeOwnUntilSomethingIsMounted) {
  const auto mount_it = [&] { return mount("none", scratch_.path().c_str(), "tmpfs", 0, nullptr) == 0; };
  const auto unmount_it = [&] { return umount(scratch_.path().c_str()) == 0; };
  if (!start({own_namespace, mount_it, unmount_it})) GTEST_SKIP() << "no mount namespace";
  const auto first = look(here_);
  ASSERT_NE(first, nullptr);
  EXPECT_FALSE(first->have_changed());
  ASSERT_TRUE(next());
  EXPECT_TRUE(first->have_changed());
  EXPECT_EQ(look(here_), nullptr);
  ASSERT_TRUE(next());
  EXPECT_TRUE(first->have_changed()) << "although all is as before";
  const auto second = look(here_);
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(second->have_changed());
}

TEST_F(ForeignMountsTest, AMountThatComesAndGoesIsNoticedAtOneLook) {
  const auto both = [&] {
    return mount("none", scratch_.path().c_str(), "tmpfs", 0, nullptr) == 0 && umount(scratch_.path().c_str()) == 0;
  };
  if (!start({own_namespace, both})) GTEST_SKIP() << "no mount namespace";
  const auto looked = look(here_);
  ASSERT_NE(looked, nullptr);
  ASSERT_TRUE(next());
  EXPECT_TRUE(looked->have_changed());
}

TEST_F(ForeignMountsTest, AnotherRootDirectoryOrWorkingDirectoryIsNotLikeOwn) {
  const auto leave = [&] { return chroot(scratch_.path().c_str()) == 0; };
  if (!start({own_namespace, leave})) GTEST_SKIP() << "no mount namespace";
  ASSERT_NE(look(here_), nullptr);
  EXPECT_EQ(look("/"), nullptr);
  ASSERT_TRUE(next());
  EXPECT_EQ(look(here_), nullptr);
}

TEST_F(ForeignMountsTest, OfAProcessThatIsNotTheOneOfTheRequestAreUnknown) {
  if (!start({own_namespace})) GTEST_SKIP() << "no mount namespace";
  protocol::CompileRequest request;
  request.working_directory = here_;
  EXPECT_EQ(ForeignMounts::like_own(child_, request), nullptr);
  EXPECT_EQ(ForeignMounts::like_own(0, request), nullptr);
}

}  // namespace
}  // namespace hipcache::daemon
