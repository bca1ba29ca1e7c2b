#include "store/maintenance.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

class EvictionTest : public StoreTest {
 protected:
  std::vector<Digest> put_blobs(int count, std::size_t size, std::uint64_t first_seed = 0) {
    std::vector<Digest> digests;
    for (int i = 0; i < count; ++i)
      digests.push_back(put_blob(noise(first_seed + static_cast<std::uint64_t>(i), size)));
    return digests;
  }
  void shrink_to(std::uint64_t bytes) {
    auto shrunk = store_->shrink_to(bytes);
    ASSERT_TRUE(shrunk) << shrunk.error().message;
  }
};

TEST_F(EvictionTest, GivesTheSpaceBackToTheFileSystem) {
  open();
  put_blobs(200, 200 * kKiB);
  ASSERT_GE(disk_use(), 40 * 1000 * kKiB);
  shrink_to(10 * kMiB);
  EXPECT_LE(disk_use(), 10 * kMiB);
  EXPECT_GE(disk_use(), 5 * kMiB) << "evicts no more than it must";
  EXPECT_LT(store_->usage().blobs, 60u);
  EXPECT_EQ(store_->usage().blobs + store_->usage().evicted, 200u);
  EXPECT_EQ(store_->evicted().values, store_->usage().evicted);
  EXPECT_NEAR(static_cast<double>(store_->evicted().bytes), static_cast<double>(store_->evicted().values * 200 * kKiB),
              static_cast<double>(store_->evicted().values * kKiB));
}

TEST_F(EvictionTest, TakesWhatWasUsedLeastRecentlyFirst) {
  open();
  const auto digests = put_blobs(40, 256 * kKiB);
  EXPECT_TRUE(blob(digests[0]));
  auto has = store_->hold_blob(digests[1], *store_->lease());
  ASSERT_TRUE(has);
  EXPECT_TRUE(*has);
  shrink_to(3 * kMiB);
  EXPECT_EQ(blob(digests[0]), noise(0, 256 * kKiB)) << "was read";
  EXPECT_EQ(blob(digests[1]), noise(1, 256 * kKiB)) << "was asked for";
  EXPECT_EQ(blob(digests[39]), noise(39, 256 * kKiB)) << "was put last";
  EXPECT_FALSE(blob(digests[2]));
  EXPECT_FALSE(blob(digests[20]));
}

TEST_F(EvictionTest, RemembersUsesWhenTheStoreIsOpenedAgain) {
  open();
  const auto digests = put_blobs(40, 256 * kKiB);
  open();
  EXPECT_TRUE(blob(digests[0]));
  open();
  shrink_to(3 * kMiB);
  EXPECT_EQ(blob(digests[0]), noise(0, 256 * kKiB));
  EXPECT_FALSE(blob(digests[2]));
}

TEST_F(EvictionTest, TakesActionsToo) {
  open();
  for (int i = 0; i < 100; ++i) put_action("old " + std::to_string(i), noise(1, 2 * kKiB));
  const auto digests = put_blobs(40, 256 * kKiB);
  shrink_to(5 * kMiB);
  EXPECT_EQ(store_->usage().actions, 0u);
  EXPECT_EQ(action("old 1"), std::nullopt);
  EXPECT_TRUE(blob(digests[39]));
}

TEST_F(EvictionTest, NeverTakesWhatALeaseHolds) {
  open();
  const auto digests = put_blobs(20, 256 * kKiB);
  auto lease = store_->lease();
  lease->add(digests[0]);
  lease->add(digests[7]);
  shrink_to(0);
  EXPECT_EQ(store_->usage().blobs, 2u);
  EXPECT_EQ(blob(digests[0]), noise(0, 256 * kKiB));
  EXPECT_EQ(blob(digests[7]), noise(7, 256 * kKiB));
  lease.reset();
  shrink_to(0);
  EXPECT_EQ(store_->usage().blobs, 0u);
}

TEST_F(EvictionTest, LeavesAStoreAloneThatIsSmallEnough) {
  open();
  put_blobs(10, 256 * kKiB);
  shrink_to(100 * kMiB);
  EXPECT_EQ(store_->usage().blobs, 10u);
  EXPECT_EQ(store_->usage().evicted, 0u);
}

TEST_F(EvictionTest, FindsTheSpaceOfMixedSizesAndCompressibilities) {
  open();
  for (std::uint64_t i = 0; i < 60; ++i) {
    put_blob(noise(i, 100 * kKiB));
    put_blob(std::string(300 * kKiB, static_cast<char>('a' + i % 26)) + std::to_string(i));
    put_blob("tiny " + std::to_string(i));
  }
  shrink_to(3 * kMiB);
  EXPECT_LE(disk_use(), 3 * kMiB);
  EXPECT_GT(store_->usage().blobs, 0u);
}

TEST_F(EvictionTest, HappensBehindTheCallersBackWhenTheLimitIsPassed) {
  options_.max_bytes = 8 * kMiB;
  open();
  // The puts are what sets it going and what it keeps up with; so many that it has every chance, but not for ever.
  constexpr std::uint64_t kMostPuts = 20000;
  Digest last;
  for (std::uint64_t i = 0; i < kMostPuts && store_->usage().evicted == 0; ++i) last = put_blob(noise(i, 100 * kKiB));
  EXPECT_GT(store_->usage().evicted, 0u);
  EXPECT_TRUE(blob(last));
}

TEST_F(EvictionTest, OfEverythingKeepsTheNotesAndReturnsTheSpace) {
  open();
  put_blobs(50, 200 * kKiB);
  for (int i = 0; i < 50; ++i) put_action("action " + std::to_string(i), noise(1, 10 * kKiB));
  ASSERT_TRUE(store_->put_note("statistics", "kept"));
  auto cleared = store_->clear();
  ASSERT_TRUE(cleared) << cleared.error().message;
  EXPECT_LE(disk_use(), 512 * kKiB);
  EXPECT_EQ(store_->evicted().values, 0u) << "no limit made it go";
  for (const bool reopened : {false, true}) {
    if (reopened) open();
    EXPECT_EQ(store_->usage().blobs, 0u);
    EXPECT_EQ(store_->usage().actions, 0u);
    EXPECT_EQ(store_->usage().bytes, 0u);
    auto note = store_->note("statistics");
    ASSERT_TRUE(note);
    EXPECT_EQ(*note, "kept");
  }
}

class EvictionBesideOthers : public EvictionTest {
 protected:
  void set_five_megabytes_aside() {
    open();
    put_blobs(10, 500 * kKiB);
    close();
    note_damage(version_opened(), "said a test");
    open();
  }
  void serve() {
    put_action("wanted", "value");
    for (int time = 0; time < 100; ++time) EXPECT_EQ(action("wanted"), "value");
  }
};

TEST_F(EvictionBesideOthers, TakesADatabaseSetAsideBeforeAnythingElseOnceTheNewOneHasServed) {
  set_five_megabytes_aside();
  put_blobs(4, 500 * kKiB);
  serve();
  ASSERT_GE(disk_use(), 6 * kMiB);
  shrink_to(4 * kMiB);
  EXPECT_LE(disk_use(), 4 * kMiB);
  EXPECT_EQ(store_->usage().blobs, 4u);
}

TEST_F(EvictionBesideOthers, KeepsADatabaseSetAsideUntilThenAndHalfOfTheLimitForTheNewOne) {
  set_five_megabytes_aside();
  put_blobs(6, 500 * kKiB);
  shrink_to(4 * kMiB);
  EXPECT_TRUE(has_set_aside(version_opened()));
  EXPECT_LE(allocated_bytes(database_path()), 2 * kMiB);
  EXPECT_GE(store_->usage().blobs, 1u);
  ASSERT_TRUE(store_->clear());
  EXPECT_FALSE(has_set_aside(version_opened())) << "the user has asked";
}

class OlderVersions : public EvictionBesideOthers {
 protected:
  void make(const std::string& version, std::chrono::hours ago) {
    const std::string directory = join_path(options_.directory, version);
    ASSERT_TRUE(make_directories(join_path(directory, "db"), 0700));
    ASSERT_TRUE(replace_file(join_path(directory, "db/000001.sst"), std::string(kMiB, 'x')));
    ASSERT_TRUE(replace_file(join_path(directory, "lock"), "1"));
    opened(version, ago);
  }
  void opened(const std::string& version, std::chrono::hours ago) {
    const timespec then{std::time(nullptr) - std::chrono::seconds(ago).count(), 0};
    const timespec times[] = {then, then};
    const std::string path = join_path(options_.directory, version + "/lock");
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  bool is_there(const std::string& version) {
    return list_directory(join_path(options_.directory, version + "/db")).ok();
  }
};

TEST_F(OlderVersions, StayBesideThisOneWhileTheyAreInUse) {
  make("v1", std::chrono::hours(25));
  make("v2", std::chrono::hours(25));
  make("v3", std::chrono::hours(24 * 365));
  open();
  EXPECT_EQ(blob(put_blob("ours")), "ours");
  close();
  EXPECT_TRUE(is_there("v1") && is_there("v2") && is_there("v3"));
}

TEST_F(OlderVersions, GoWhenSpaceIsWantedAndNobodyUsedThemForADay) {
  make("v1", std::chrono::hours(25));
  make("v2", std::chrono::hours(1));
  open();
  shrink_to(kMiB);
  EXPECT_FALSE(is_there("v1"));
  EXPECT_TRUE(is_there("v2"));
}

TEST_F(OlderVersions, GoAfterAWeekWithoutUseButANewerOneStays) {
  make("v1", std::chrono::hours(24 * 7 + 1));
  make("v2", std::chrono::hours(24 * 7 + 1));
  make("v3", std::chrono::hours(24 * 365));
  open();
  while (is_there("v1") || is_there("v2")) std::this_thread::yield();
  close();
  EXPECT_TRUE(is_there("v3"));
}

TEST_F(OlderVersions, StayWhileTheyAreBeingMadeAndHaveNoLockYet) {
  ASSERT_TRUE(make_directories(join_path(options_.directory, "v0"), 0700));
  ASSERT_TRUE(make_directories(join_path(options_.directory, "v1/db"), 0700));
  make("v2", std::chrono::hours(24 * 7 + 1));
  open();
  while (is_there("v2")) std::this_thread::yield();
  close();
  EXPECT_TRUE(list_directory(join_path(options_.directory, "v0")).ok());
  EXPECT_TRUE(is_there("v1"));
}

TEST_F(OlderVersions, GoWhenTheCacheIsClearedUnlessSomebodyHoldsThem) {
  make("v0", std::chrono::hours(0));
  make("v1", std::chrono::hours(0));
  make("v3", std::chrono::hours(0));
  open();
  const UniqueFd held(::open(join_path(options_.directory, "v0/lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(held.get(), LOCK_EX | LOCK_NB), 0);
  ASSERT_TRUE(store_->clear());
  EXPECT_TRUE(is_there("v0"));
  EXPECT_FALSE(is_there("v1"));
  EXPECT_TRUE(is_there("v3"));
}

}  // namespace
}  // namespace hipcache::store
