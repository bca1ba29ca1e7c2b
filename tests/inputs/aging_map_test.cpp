#include "inputs/state/file_system_memo.h"

#include <gtest/gtest.h>

#include <functional>

namespace hipcache::inputs {
namespace {

TEST(AgingMap, HoldsNoMoreThanItsLimit) {
  AgingMap<int, int, std::hash<int>> map(10);
  for (int i = 0; i < 1000; ++i) map.insert(i, i);
  EXPECT_LE(map.size(), 10u);
  EXPECT_EQ(map.find(999), 999);
}

TEST(AgingMap, KeepsWhatIsUsedAndDropsWhatIsNot) {
  AgingMap<int, int, std::hash<int>> map(10);
  map.insert(-1, 1);
  map.insert(-2, 2);
  for (int i = 0; i < 100; ++i) {
    map.insert(i, i);
    ASSERT_EQ(map.find(-1), 1) << "after " << i;
  }
  EXPECT_EQ(map.find(-2), std::nullopt);
}

TEST(ShardedMap, FindsWhatWasInserted) {
  ShardedMap<int, int, std::hash<int>> map(1000);
  map.insert(5, 50);
  map.insert(5, 51);
  EXPECT_EQ(map.find(5), 51);
  EXPECT_EQ(map.find(6), std::nullopt);
}

}  // namespace
}  // namespace hipcache::inputs
