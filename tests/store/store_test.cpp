#include "hipcache/store/store.h"

#include <unistd.h>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

TEST_F(StoreTest, GivesBackBlobsSmallAndLarge) {
  open();
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 100000u, 20000000u}) {
    const std::string bytes = noise(size, size);
    EXPECT_EQ(blob(put_blob(bytes)), bytes) << size;
  }
}

TEST_F(StoreTest, GivesBackBlobsAndActionsAfterItWasClosedAndOpened) {
  open();
  const Digest small = put_blob("small");
  const Digest large = put_blob(noise(1, 100 * kKiB));
  put_action("a", "result of a");
  open();
  EXPECT_EQ(blob(small), "small");
  EXPECT_EQ(blob(large), noise(1, 100 * kKiB));
  EXPECT_EQ(action("a"), "result of a");
}

TEST_F(StoreTest, NamesABlobByTheDigestOfItsBytes) {
  open();
  EXPECT_EQ(put_blob("bytes"), digest_of("bytes"));
}

TEST_F(StoreTest, GivesNothingForWhatWasNeverPut) {
  open();
  EXPECT_EQ(blob(digest_of("x")), std::nullopt);
  EXPECT_EQ(action("x"), std::nullopt);
  auto has = store_->hold_blob(digest_of("x"), *store_->lease());
  ASSERT_TRUE(has);
  EXPECT_FALSE(*has);
}

TEST_F(StoreTest, StoresEqualBlobsOnce) {
  open();
  put_blob("same");
  const std::uint64_t bytes = store_->usage().bytes;
  put_blob("same");
  EXPECT_EQ(store_->usage().blobs, 1u);
  EXPECT_EQ(store_->usage().bytes, bytes);
}

TEST_F(StoreTest, KeepsTheNewestValueOfAnAction) {
  open();
  put_action("a", "first");
  const std::uint64_t bytes = store_->usage().bytes;
  put_action("a", "second one");
  EXPECT_EQ(action("a"), "second one");
  EXPECT_EQ(store_->usage().actions, 1u);
  EXPECT_EQ(store_->usage().bytes, bytes + 5);
}

TEST_F(StoreTest, CountsExactlyAlsoAfterOpening) {
  open();
  for (int i = 0; i < 100; ++i) put_blob("blob " + std::to_string(1000 + i));
  for (int i = 0; i < 50; ++i) put_action("action " + std::to_string(i), "12345");
  for (int i = 0; i < 50; ++i) put_action("action " + std::to_string(i), "123");
  const std::uint64_t bytes = store_->usage().bytes;
  EXPECT_GE(bytes, 100u * 9 + 50u * 3);
  for (const bool reopened : {false, true}) {
    if (reopened) open();
    EXPECT_EQ(store_->usage().blobs, 100u);
    EXPECT_EQ(store_->usage().actions, 50u);
    EXPECT_EQ(store_->usage().bytes, bytes);
  }
}

TEST_F(StoreTest, MeasuresOnDiskWhatTheFileSystemHolds) {
  open();
  put_blob(noise(1, 3 * kMiB));
  EXPECT_GE(store_->usage().bytes_on_disk, 3 * kMiB);
  EXPECT_LE(store_->usage().bytes_on_disk, 4 * kMiB);
  EXPECT_EQ(store_->usage().bytes_on_disk, disk_use());
}

TEST_F(StoreTest, CompressesWhatCanBe) {
  open();
  put_blob(std::string(20 * kMiB, 'x'));
  EXPECT_LT(disk_use(), 256 * kKiB) << "already in the write-ahead log";
}

TEST_F(StoreTest, EmptiesTheWriteAheadLogWhenNothingIsWrittenAnyMore) {
  open();
  for (int i = 0; i < 300; ++i) put_action("action " + std::to_string(i), std::string(10 * kKiB, 'x'));
  ASSERT_GT(disk_use(), 2 * kMiB);
  for (int tries = 0; tries < 1200 && disk_use() > 256 * kKiB; ++tries) usleep(100'000);
  EXPECT_LE(disk_use(), 256 * kKiB);
  EXPECT_EQ(action("action 7"), std::string(10 * kKiB, 'x'));
}

TEST_F(StoreTest, KeepsNotesApartFromTheTables) {
  open();
  ASSERT_TRUE(store_->put_note("statistics", "{}"));
  ASSERT_TRUE(store_->put_note("statistics", "{\"hits\":1}"));
  open();
  auto note = store_->note("statistics");
  ASSERT_TRUE(note);
  EXPECT_EQ(*note, "{\"hits\":1}");
  auto other = store_->note("other");
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, std::nullopt);
  EXPECT_EQ(store_->usage().actions + store_->usage().blobs + store_->usage().bytes, 0u);
}

}  // namespace
}  // namespace hipcache::store
