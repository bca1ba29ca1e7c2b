#include "inputs/loader/loader_cache.h"

#include <gtest/gtest.h>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::int64_t kWritten = 50 * kSecond;

class CurrentLoaderCacheOfThisMachine : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::string> bytes = read_file(kLoaderCacheFile, 64u << 20);
    ASSERT_TRUE(bytes) << "a machine with glibc has a loader's cache: " << bytes.error().message;
    content_ = digest_of(*bytes);
  }

  std::shared_ptr<const LoaderCache> look(std::uint64_t seconds) {
    return current_.of(content_, kWritten, seconds * kSecond);
  }
  std::shared_ptr<const LoaderCache> as_of(std::uint64_t seconds) const { return current_.as_of(seconds * kSecond); }

  Digest content_;
  CurrentLoaderCache current_;
};

TEST_F(CurrentLoaderCacheOfThisMachine, IsKnownForAMinuteAfterEachLook) {
  const std::shared_ptr<const LoaderCache> cache = look(100);
  ASSERT_TRUE(cache);
  EXPECT_EQ(as_of(100), cache);
  EXPECT_EQ(as_of(160), cache);
  EXPECT_EQ(as_of(161), nullptr);
  EXPECT_EQ(look(150), cache) << "parsed once";
  EXPECT_EQ(as_of(210), cache);
}

TEST_F(CurrentLoaderCacheOfThisMachine, IsUnknownBeforeTheFirstLook) {
  EXPECT_EQ(as_of(100), nullptr);
  look(100);
  EXPECT_EQ(as_of(99), nullptr);
}

TEST_F(CurrentLoaderCacheOfThisMachine, IsNoneThatWasWrittenAtThatTimeOrLater) {
  look(40);
  EXPECT_EQ(as_of(50), nullptr);
  EXPECT_NE(as_of(51), nullptr);
}

TEST_F(CurrentLoaderCacheOfThisMachine, IsNullIfTheFileHasOtherBytes) {
  EXPECT_EQ(current_.of(digest_of("other bytes"), kWritten, 100 * kSecond), nullptr);
  EXPECT_EQ(as_of(100), nullptr);
}

}  // namespace
}  // namespace hipcache::inputs
