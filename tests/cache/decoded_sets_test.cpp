#include "cache/remote_look_up.h"

#include <gtest/gtest.h>

namespace hipcache::cache {
namespace {

std::shared_ptr<const inputs::PathSet> set_of(int i) {
  return std::make_shared<const inputs::PathSet>(
      inputs::PathSet({{inputs::Question::content, std::string(200, 'x') + std::to_string(i)}}));
}

TEST(DecodedSets, HoldNoMoreBytesThanTheirLimit) {
  DecodedSets sets(10'000);
  for (int i = 0; i < 1000; ++i) {
    sets.insert(set_of(i));
    ASSERT_LE(sets.bytes(), 10'000u);
  }
  EXPECT_NE(sets.find(set_of(999)->id()), nullptr);
  EXPECT_EQ(sets.find(set_of(0)->id()), nullptr);
}

TEST(DecodedSets, KeepWhatWasUsedLast) {
  DecodedSets sets(10'000);
  sets.insert(set_of(-1));
  for (int i = 0; i < 1000; ++i) {
    sets.insert(set_of(i));
    ASSERT_NE(sets.find(set_of(-1)->id()), nullptr);
  }
}

TEST(DecodedSets, DoNotTakeWhatIsLargerThanAllOfThem) {
  DecodedSets sets(100);
  sets.insert(set_of(1));
  EXPECT_EQ(sets.bytes(), 0u);
}

}  // namespace
}  // namespace hipcache::cache
