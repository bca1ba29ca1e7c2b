#include "store/recency.h"

#include <gtest/gtest.h>

#include <string>

namespace hipcache::store {
namespace {

class RecencyTest : public ::testing::Test {
 protected:
  UseKey blob(const std::string& name) { return {Table::blobs, digest_of(name)}; }
  UseKey action(const std::string& name) { return {Table::actions, digest_of(name)}; }
  void add(const UseKey& key, std::uint32_t size) {
    now_ += 1;
    recency_.set(key, recency_.use_now(size));
  }
  void use(const UseKey& key) {
    now_ += 1;
    EXPECT_TRUE(recency_.touch(key));
  }
  std::vector<Digest> oldest(std::uint64_t bytes, std::size_t limit = 100) {
    std::vector<Digest> digests;
    for (const auto& entry : recency_.oldest(bytes, limit, holds_)) digests.push_back(entry.key.digest);
    return digests;
  }
  std::vector<Digest> digests(std::initializer_list<const char*> names) {
    std::vector<Digest> list;
    for (const char* name : names) list.push_back(digest_of(name));
    return list;
  }

  std::uint32_t now_ = 100;
  Recency recency_{[this] { return now_; }};
  Pins holds_;
};

TEST_F(RecencyTest, NamesTheOldestOfBothTablesFirst) {
  add(blob("a"), 1);
  add(action("b"), 1);
  add(blob("c"), 1);
  EXPECT_EQ(oldest(100), digests({"a", "b", "c"}));
}

TEST_F(RecencyTest, NamesNoMoreThanTheBytesTake) {
  add(blob("a"), 10);
  add(blob("b"), 10);
  add(blob("c"), 10);
  EXPECT_EQ(oldest(1), digests({"a"}));
  EXPECT_EQ(oldest(10), digests({"a"}));
  EXPECT_EQ(oldest(11), digests({"a", "b"}));
}

TEST_F(RecencyTest, NamesTheOldestOfAllWhenTheLimitIsLess) {
  for (int i = 0; i < 50; ++i) add(blob(std::to_string(i)), 1);
  use(blob("0"));
  EXPECT_EQ(oldest(100, 3), digests({"1", "2", "3"}));
}

TEST_F(RecencyTest, TakesAUsedEntryForTheNewest) {
  add(blob("a"), 1);
  add(blob("b"), 1);
  use(blob("a"));
  EXPECT_EQ(oldest(100), digests({"b", "a"}));
}

TEST_F(RecencyTest, NamesNothingThatIsHeld) {
  add(blob("a"), 1);
  add(blob("b"), 1);
  holds_.add(digest_of("a"));
  EXPECT_EQ(oldest(100), digests({"b"}));
}

TEST_F(RecencyTest, DoesNotEraseWhatWasUsedOrHeldSinceItWasPicked) {
  add(blob("used"), 1);
  add(blob("held"), 1);
  add(blob("idle"), 1);
  const auto picked = recency_.oldest(100, 100, holds_);
  use(blob("used"));
  holds_.add(digest_of("held"));
  const auto erased = recency_.erase_unused(picked.data(), picked.size(), holds_);
  ASSERT_EQ(erased.size(), 1u);
  EXPECT_EQ(erased[0].key.digest, digest_of("idle"));
  EXPECT_TRUE(recency_.find(blob("used")));
  EXPECT_TRUE(recency_.find(blob("held")));
  EXPECT_FALSE(recency_.find(blob("idle")));
}

TEST_F(RecencyTest, CountsWhatIsThereExactly) {
  add(blob("a"), 10);
  add(action("a"), 5);
  add(action("a"), 7);
  EXPECT_EQ(recency_.totals().blobs, 1u);
  EXPECT_EQ(recency_.totals().actions, 1u);
  EXPECT_EQ(recency_.totals().bytes, 17u);
  EXPECT_TRUE(recency_.erase(blob("a")));
  EXPECT_FALSE(recency_.erase(blob("a")));
  EXPECT_EQ(recency_.totals().blobs, 0u);
  EXPECT_EQ(recency_.totals().bytes, 7u);
}

TEST_F(RecencyTest, HandsOverEachUseOnceForWritingBehind) {
  add(blob("a"), 10);
  EXPECT_EQ(recency_.touched(), 0u) << "a put writes its own use";
  use(blob("a"));
  const auto touched = recency_.take_touched();
  ASSERT_EQ(touched.size(), 1u);
  EXPECT_EQ(touched[0].use.seconds, now_);
  EXPECT_EQ(touched[0].use.size, 10u);
  EXPECT_TRUE(recency_.take_touched().empty());
}

TEST_F(RecencyTest, TakesManyUsesWithinOneSecondForOne) {
  add(blob("a"), 10);
  use(blob("a"));
  EXPECT_TRUE(recency_.touch(blob("a")));
  EXPECT_TRUE(recency_.touch(blob("a")));
  EXPECT_EQ(recency_.touched(), 1u);
}

TEST_F(RecencyTest, DoesNotGrowOlderWhenTheClockIsSetBack) {
  add(blob("a"), 10);
  now_ -= 50;
  EXPECT_TRUE(recency_.touch(blob("a")));
  EXPECT_EQ(recency_.touched(), 0u);
}

TEST_F(RecencyTest, DoesNotHandOverUsesOfWhatIsGone) {
  add(blob("a"), 10);
  use(blob("a"));
  recency_.erase(blob("a"));
  EXPECT_TRUE(recency_.take_touched().empty());
}

}  // namespace
}  // namespace hipcache::store
