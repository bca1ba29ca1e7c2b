// Headers on mounted file systems: an image that is replaced by another one with the same device, inodes, sizes and
// times, and a file system that makes up its times.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "integration/staleness/support/gate.h"
#include "integration/staleness/support/staleness.h"
#include "support/made_up_times.h"
#include "support/own_mounts.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "#define VALUE ";

// In a mount namespace of the test's own, with a directory `sdk` for headers.
class Mounted : public Staleness {
 protected:
  static void SetUpTestSuite() { is_alone_ = support::enter_own_mounts(); }
  void SetUp() override {
    if (!is_alone_) GTEST_SKIP() << "no mount namespace of the test's own";
    sdk_ = project_.make_directory("sdk");
    write_kernel(project_, "a.hip", "#include \"value.h\"\n__device__ int value = VALUE;\n");
  }

  Arguments with_sdk() const { return command("-O1 -Isdk"); }

  static inline bool is_alone_ = false;
  std::string sdk_;
};

// Two images of a reproducible file system, each with one header.
class MountedImage : public Mounted {
 protected:
  void SetUp() override {
    Mounted::SetUp();
    if (IsSkipped()) return;
    for (const char* value : {"1", "2"}) {
      own_.write("tree/value.h", std::string(kHeader) + value + "\n");
      const std::string image = own_ / value;
      const Ended made = run({"mksquashfs", own_ / "tree", image, "-all-time", "1500000000", "-mkfs-time", "1500000000",
                              "-noappend", "-quiet", "-no-progress"},
                             "/");
      if (made.exit_code != 0) GTEST_SKIP() << "no mksquashfs: " << made.err;
    }
    const Ended free = run({"losetup", "-f"}, "/");
    loop_ = free.out.substr(0, free.out.find('\n'));
    if (free.exit_code != 0 || !mount_image("1")) GTEST_SKIP() << "no loop device";
  }
  void TearDown() override {
    if (!loop_.empty()) unmount();
  }

  bool mount_image(const std::string& name) const {
    return run({"losetup", "-r", loop_, own_ / name}, "/").exit_code == 0 &&
           run({"mount", "-t", "squashfs", "-o", "ro", loop_, sdk_}, "/").exit_code == 0;
  }
  void unmount() const {
    run({"umount", sdk_}, "/");
    run({"losetup", "-d", loop_}, "/");
  }

  support::Scratch own_;
  std::string loop_;
};

TEST_P(MountedImage, IsReadAgainAfterTheNextOneTookItsPlace) {
  warm(with_sdk());
  unmount();
  ASSERT_TRUE(mount_image("2"));
  expect_runs({.device = 2, .bundle = 1, .host = 1}, with_sdk());
  expect_hit(with_sdk());
  unmount();
  ASSERT_TRUE(mount_image("1"));
  expect_hit(with_sdk());
}

TEST_P(MountedImage, IsReadAgainByTheNextDaemon) {
  warm(with_sdk());
  cache_.end_daemon(SIGTERM);
  unmount();
  ASSERT_TRUE(mount_image("2"));
  expect_runs({.device = 2, .bundle = 1, .host = 1}, with_sdk());
}

INSTANTIATE_TEST_SUITE_P(Compilers, MountedImage, testing::ValuesIn(kOneCompiler), name_of);

// A file system whose files show a ctime that says nothing.
class MadeUpTimes : public Mounted {
 protected:
  void SetUp() override {
    Mounted::SetUp();
    if (IsSkipped()) return;
    write_value(1);
    await_settled(own_ / "value.h");
  }

  void write_value(int value) {
    own_.write("value.h", kHeader + std::to_string(value) + "\n");
    fs::last_write_time(own_ / "value.h", fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
    if (time_ == fs::file_time_type()) time_ = fs::last_write_time(own_ / "value.h");
    fs::last_write_time(own_ / "value.h", time_);
  }

  support::Scratch own_;
  fs::file_time_type time_;
};

TEST_P(MadeUpTimes, HideNoEdit) {
  for (const support::MadeUp ctime : {support::MadeUp::as_mtime, support::MadeUp::constant}) {
    const support::MadeUpTimes system(own_.path(), sdk_, ctime);
    if (!system.is_mounted()) GTEST_SKIP() << "no FUSE";
    check(with_sdk());
    expect_hit(with_sdk());
    write_value(2);
    check(with_sdk());
    write_value(1);
    expect_hit(with_sdk());
  }
}

TEST_P(MadeUpTimes, HideNoEditDuringTheCompile) {
  const support::MadeUpTimes system(own_.path(), sdk_, support::MadeUp::as_mtime);
  if (!system.is_mounted()) GTEST_SKIP() << "no FUSE";
  write_kernel(project_, "a.hip", "#include \"value.h\"\n#include \"gate.h\"\n__device__ int value = VALUE;\n");
  project_.write("gate.h", "");
  const Counts before = cache_.counts();
  hold_at_gate(cache_, project_.path(), with_sdk(), [this] { write_value(2); });
  EXPECT_GE((cache_.counts() - before).not_stored.at("input-changed"), 1);
  check(with_sdk());
}

INSTANTIATE_TEST_SUITE_P(Compilers, MadeUpTimes, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
