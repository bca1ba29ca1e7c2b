#include "daemon/tokens.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

class TokensOfTwo : public testing::Test {
 protected:
  bool was_woken() const {
    std::uint64_t count = 0;
    return read(wake_.get(), &count, sizeof count) == sizeof count;
  }
  bool start_first() { return tokens_.start(true, wake_.get()); }
  bool start_further() { return tokens_.start(false, wake_.get()); }

  Tokens tokens_{2};
  UniqueFd wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

TEST_F(TokensOfTwo, LetALoneSessionUseTheWholeMachineAndNoMore) {
  EXPECT_TRUE(start_first());
  EXPECT_TRUE(start_further());
  EXPECT_FALSE(start_further());
  EXPECT_EQ(tokens_.running(), 2u);
}

TEST_F(TokensOfTwo, LetEverySessionRunOneStepHoweverManyThereAre) {
  for (int session = 0; session < 8; ++session) EXPECT_TRUE(start_first());
  EXPECT_FALSE(start_further());
}

TEST_F(TokensOfTwo, WakeWhoWaitsOnlyWhenAPlaceIsFree) {
  for (int session = 0; session < 3; ++session) ASSERT_TRUE(start_first());
  ASSERT_FALSE(start_further());
  tokens_.finish();
  EXPECT_FALSE(was_woken()) << "two of two still run";
  tokens_.finish();
  EXPECT_TRUE(was_woken());
  EXPECT_TRUE(start_further());
}

TEST_F(TokensOfTwo, DoNotWakeWhoWasForgotten) {
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  ASSERT_FALSE(start_further());
  tokens_.forget(wake_.get());
  tokens_.finish();
  EXPECT_FALSE(was_woken());
}

TEST(Tokens, OfNoneCountAsOne) {
  Tokens tokens(0);
  EXPECT_TRUE(tokens.start(false, -1));
}

TEST(Tokens, CountTheProcessorsThatMayBeUsed) { EXPECT_GE(usable_processors(), 1u); }

}  // namespace
}  // namespace hipcache::daemon
