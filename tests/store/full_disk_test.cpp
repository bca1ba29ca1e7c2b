#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cstdio>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

// A small file system of its own: the tests run as root, who may mount one.
class FullDiskTest : public StoreTest {
 protected:
  void SetUp() override {
    disk_ = join_path(root_, "disk");
    ASSERT_TRUE(make_directories(disk_, 0700));
    ASSERT_EQ(mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=12m"), 0) << "the tests run as root";
    mounted_ = true;
    options_.directory = join_path(disk_, "store");
  }
  void TearDown() override {
    close();
    if (mounted_) {
      EXPECT_EQ(umount(disk_.c_str()), 0);
    }
  }

  void fill_disk(std::uint64_t bytes = 100 * kMiB) {
    std::FILE* file = std::fopen(filler().c_str(), "w");
    ASSERT_TRUE(file);
    std::setvbuf(file, nullptr, _IONBF, 0);
    const std::string block(64 * kKiB, 'x');
    for (std::uint64_t written = 0; written < bytes; written += block.size()) {
      if (std::fwrite(block.data(), 1, block.size(), file) != block.size()) break;
    }
    std::fclose(file);
  }
  void free_disk() { ASSERT_EQ(std::remove(filler().c_str()), 0); }
  std::string filler() const { return join_path(disk_, "filler"); }

  std::string disk_;
  bool mounted_ = false;
};

TEST_F(FullDiskTest, PutsFailWithTheReasonAndGetsGoOn) {
  open();
  const Digest kept = put_blob(noise(1, 100 * kKiB));
  put_action("kept", "value");
  fill_disk();
  bool failed = false;
  std::string reason;
  for (std::uint64_t i = 2; i < 60; ++i) {
    const auto put = store_->put_blob(noise(i, 500 * kKiB));
    if (put) continue;
    failed = true;
    reason = put.error().message;
    EXPECT_TRUE(blob(kept) == noise(1, 100 * kKiB));
    EXPECT_EQ(action("kept"), "value");
  }
  EXPECT_TRUE(failed);
  EXPECT_THAT(reason, ::testing::AnyOf(::testing::HasSubstr("No space"), ::testing::HasSubstr("no space")));
}

TEST_F(FullDiskTest, PutsWorkAgainOnceThereIsRoom) {
  open();
  fill_disk();
  int failed = 0;
  for (std::uint64_t i = 0; i < 30; ++i) failed += store_->put_blob(noise(i, 500 * kKiB)) ? 0 : 1;
  ASSERT_GT(failed, 0);
  free_disk();
  const Digest after = put_blob("after");
  put_action("after", "value");
  EXPECT_EQ(blob(after), "after");
  EXPECT_EQ(action("after"), "value");
  open();
  EXPECT_EQ(blob(after), "after");
  EXPECT_EQ(action("after"), "value");
}

TEST_F(FullDiskTest, NothingThatWasReportedStoredIsLostOrWrongAfterwards) {
  open();
  fill_disk(8 * kMiB);
  std::vector<Digest> stored;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const auto put = store_->put_blob(noise(i, 500 * kKiB));
    if (put) stored.push_back(*put);
  }
  ASSERT_GT(stored.size(), 0u);
  ASSERT_LT(stored.size(), 60u);
  close();
  free_disk();
  open();
  for (const Digest& digest : stored) EXPECT_TRUE(blob(digest));
  EXPECT_EQ(store_->usage().blobs, stored.size());
  EXPECT_EQ(store_->usage().corrupt, 0u);
}

TEST_F(FullDiskTest, OpeningOnAFullDiskIsAnErrorThatNamesTheDirectory) {
  fill_disk();
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, ::testing::HasSubstr(options_.directory));
}

// No file of this process may grow past a limit while it lives: the trouble with writing that needs no file system of
// its own.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    former_handler_ = signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &former_), 0);
    const rlimit limited = {bytes, former_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &former_), 0);
    signal(SIGXFSZ, former_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit former_ = {};
  sighandler_t former_handler_ = nullptr;
};

TEST_F(StoreTest, PutsThatCannotBeWrittenAreErrorsAndTheNextOnesWork) {
  open();
  const Digest kept = put_blob(noise(1, 100 * kKiB));
  {
    const FileSizeLimit limit(kMiB);
    const auto refused = store_->put_blob(noise(2, 3 * kMiB));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("File too large"));
    EXPECT_TRUE(blob(kept) == noise(1, 100 * kKiB));
    EXPECT_EQ(blob(digest_of(noise(2, 3 * kMiB))), std::nullopt);
  }
  const Digest after = put_blob(noise(2, 3 * kMiB));
  open();
  EXPECT_TRUE(blob(kept) == noise(1, 100 * kKiB));
  EXPECT_TRUE(blob(after) == noise(2, 3 * kMiB));
}

}  // namespace
}  // namespace hipcache::store
