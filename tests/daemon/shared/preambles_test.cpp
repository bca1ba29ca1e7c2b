#include "daemon/shared/preambles.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/memory_store.h"

namespace hipcache::daemon {
namespace {

class PreamblesTest : public testing::Test {
 protected:
  static Preambles::Names names(const std::string& step, const std::string& source = "s",
                                const std::string& group = "g") {
    return {digest_of(step), digest_of(source), digest_of(group)};
  }

  const Digest kKey = digest_of("key");
  support::MemoryStore store_;
  Log log_;
  Preambles preambles_{store_, log_};
};

TEST_F(PreamblesTest, TheThirdJobMakesTheHeaderAndOthersDoNotMeanwhile) {
  EXPECT_FALSE(preambles_.takes_turn(kKey, false));
  EXPECT_FALSE(preambles_.takes_turn(kKey, false));
  EXPECT_TRUE(preambles_.takes_turn(kKey, false));
  EXPECT_FALSE(preambles_.takes_turn(kKey, false));
  preambles_.note_left(kKey);
  EXPECT_TRUE(preambles_.takes_turn(kKey, false)) << "the client that made it has left";
  EXPECT_FALSE(preambles_.takes_turn(digest_of("another key"), false));
}

TEST_F(PreamblesTest, TheFirstJobMakesTheHeaderIfItIsForced) {
  EXPECT_TRUE(preambles_.takes_turn(kKey, true));
  EXPECT_FALSE(preambles_.takes_turn(kKey, true));
}

TEST_F(PreamblesTest, AHeaderIsLookedUpOnceAndWhenItWasMade) {
  EXPECT_TRUE(preambles_.may_be_stored(kKey));
  preambles_.note_absent(kKey);
  EXPECT_FALSE(preambles_.may_be_stored(kKey));
  preambles_.note_made(kKey);
  EXPECT_TRUE(preambles_.may_be_stored(kKey));
}

TEST_F(PreamblesTest, AHeaderThatCannotBeMadeIsNotTriedAgain) {
  ASSERT_TRUE(preambles_.takes_turn(kKey, true));
  preambles_.note_vain(kKey, "the compiler prints");
  EXPECT_FALSE(preambles_.takes_turn(kKey, true));
  EXPECT_FALSE(preambles_.may_be_stored(kKey));
  EXPECT_EQ(preambles_.why_vain(kKey), "the compiler prints");
}

TEST_F(PreamblesTest, ARefutationHoldsForAllDaemonsOfTheStore) {
  const Digest header = digest_of("header");
  EXPECT_FALSE(preambles_.is_refuted(header));
  preambles_.refute(header, "another object");
  EXPECT_TRUE(preambles_.is_refuted(header));
  EXPECT_TRUE(Preambles(store_, log_).is_refuted(header));
  EXPECT_FALSE(Preambles(store_, log_).is_refuted(digest_of("another header")));
}

TEST_F(PreamblesTest, AJobTakesWhatItTookElseWhatItsSourceDidElseWhatTheGroupDid) {
  EXPECT_EQ(preambles_.expected_us(names("a")), 0u);
  for (const std::uint64_t us : {100, 300, 200})
    preambles_.note_plain_run(names("step " + std::to_string(us), "other"), {.plain_us = us});
  EXPECT_EQ(preambles_.expected_us(names("a")), 200u) << "the median";
  preambles_.note_plain_run(names("gfx906"), {.plain_us = 4'000});
  EXPECT_EQ(preambles_.expected_us(names("gfx1030")), 4'000u);
  preambles_.note_plain_run(names("a"), {.plain_us = 9'000});
  EXPECT_EQ(preambles_.expected_us(names("a")), 9'000u);
  EXPECT_EQ(Preambles(store_, log_).expected_us(names("a")), 9'000u) << "the next daemon knows it";
  EXPECT_EQ(preambles_.expected_us(names("b", "c", "another group")), 0u);
}

TEST_F(PreamblesTest, RemembersAJobThatPrints) {
  preambles_.note_plain_run(names("a"), {.plain_us = 1'000, .prints = true});
  EXPECT_TRUE(preambles_.job(digest_of("a")).prints);
  preambles_.note_plain_run(names("a"), {.plain_us = 1'000, .prints = false});
  EXPECT_FALSE(preambles_.job(digest_of("a")).prints);
  EXPECT_FALSE(PreambleJob::decode("damaged").ok());
}

TEST_F(PreamblesTest, TheLastOrderOfAsManyDeclarationsIsTheUsualOne) {
  EXPECT_TRUE(preambles_.usual_order(false, 3).empty());
  preambles_.note_order(false, {2, 0, 1});
  EXPECT_EQ(preambles_.usual_order(false, 3), (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_TRUE(preambles_.usual_order(false, 2).empty());
  EXPECT_TRUE(preambles_.usual_order(true, 3).empty());
}

}  // namespace
}  // namespace hipcache::daemon
