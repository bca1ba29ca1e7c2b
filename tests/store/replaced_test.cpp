// A store whose directory is removed, moved or replaced while it is open: what lies there afterwards is another's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

// RocksDB names its files by path, and deletes those that it does not know.
class OpenReplaced : public StoreTest {
 protected:
  // Opens another store where the first one was, while the first still lives; then ends the first.
  void expect_second_unharmed() {
    auto first = std::move(store_);
    EXPECT_FALSE(first->is_in_place());
    auto second = try_open();
    ASSERT_TRUE(second) << second.error().message;
    store_ = std::move(*second);
    std::vector<Digest> digests;
    for (std::uint64_t i = 0; i < 8; ++i) digests.push_back(put_blob(noise(i, 20 * kKiB)));
    [[maybe_unused]] const auto refused = first->put_blob(noise(100, 20 * kKiB));
    [[maybe_unused]] const auto cleared = first->clear();
    first.reset();
    EXPECT_TRUE(store_->is_in_place());
    open();
    for (std::uint64_t i = 0; i < 8; ++i) EXPECT_TRUE(blob(digests[i]) == noise(i, 20 * kKiB)) << log_text();
    EXPECT_EQ(has_set_aside(version_opened()), false) << log_text();
  }
};

TEST_F(OpenReplaced, BecauseTheDirectoryWasRemovedLeavesTheNewOneAlone) {
  open();
  for (std::uint64_t i = 0; i < 8; ++i) put_blob(noise(i, 20 * kKiB));
  ASSERT_TRUE(remove_tree(options_.directory));
  expect_second_unharmed();
}

TEST_F(OpenReplaced, BecauseTheContentsWereRemovedLeavesTheNewOnesAlone) {
  open();
  for (std::uint64_t i = 0; i < 8; ++i) put_blob(noise(i, 20 * kKiB));
  ASSERT_EQ(system(("rm -rf '" + version_path() + "'/*").c_str()), 0);
  expect_second_unharmed();
}

TEST_F(OpenReplaced, BecauseTheDirectoryWasMovedLeavesTheNewOneAloneAndKeepsTheMovedOne) {
  open();
  put_blob("moved along");
  const std::string moved = options_.directory + ".moved";
  ASSERT_EQ(rename(options_.directory.c_str(), moved.c_str()), 0);
  expect_second_unharmed();
  close();
  ASSERT_TRUE(remove_tree(options_.directory));
  ASSERT_EQ(rename(moved.c_str(), options_.directory.c_str()), 0);
  open();
  EXPECT_EQ(has_set_aside(version_opened()), false) << log_text();
}

TEST_F(OpenReplaced, ByACopyLeavesTheCopyAlone) {
  open();
  for (std::uint64_t i = 0; i < 8; ++i) put_blob(noise(i, 20 * kKiB));
  const std::string copy = options_.directory + ".copy";
  ASSERT_EQ(system(("cp -a '" + options_.directory + "' '" + copy + "'").c_str()), 0);
  ASSERT_TRUE(remove_tree(options_.directory));
  ASSERT_EQ(rename(copy.c_str(), options_.directory.c_str()), 0);
  expect_second_unharmed();
}

}  // namespace
}  // namespace hipcache::store
