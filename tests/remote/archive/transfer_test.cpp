// Results go from one store to another through an archive.
#include <gmock/gmock.h>

#include "remote/archive/transfer_fixture.h"

namespace hipcache::remote {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kLarge = 100'000;  // has a value of its own

class Transfer : public TransferTest {
 protected:
  void fill() {
    put({.name = "device a", .steps = {"gfx906"}, .size = kLarge}, from_);
    put({.name = "device b", .steps = {"gfx90a:xnack+"}}, from_);
    put({.name = "request", .steps = {"gfx906", "gfx90a:xnack+", "bundle", "host"}, .place = "dir/a.o"}, from_);
    put({.name = "host", .steps = {"host"}, .size = kLarge + 1}, from_);
    put({.name = "opaque"}, from_);
    put({.name = "host", .steps = {"host"}, .last_use = 2, .state = "another state"}, from_);
    put({.name = "host", .steps = {"host"}, .last_use = 3, .state = "third state", .header = "b.h"}, from_);
  }

  Imported imported(const std::string& bytes) {
    const Result<Imported> done = import(bytes, to_);
    EXPECT_TRUE(done) << done.error().message;
    return done ? *done : Imported();
  }
};

TEST_F(Transfer, CarriesEveryResultAndListAndBlob) {
  fill();
  const Imported done = imported(exported(from_));
  EXPECT_EQ(done.tally.results, 7u);
  EXPECT_EQ(done.tally.known + done.tally.left_out, 0u);
  EXPECT_EQ(to_.actions, from_.actions);
  EXPECT_EQ(to_.blobs, from_.blobs);
}

TEST_F(Transfer, MakesTheSameArchiveOfWhatWasImported) {
  fill();
  const std::string bytes = exported(from_);
  imported(bytes);
  to_.last_uses = from_.last_uses;
  EXPECT_EQ(exported(to_), bytes);
}

TEST_F(Transfer, IntoASmallerStoreKeepsWhatWasUsedLastAndSaysHowMuchFitted) {
  for (std::uint32_t at = 1; at <= 10; ++at)
    put({.name = "result " + std::to_string(at), .size = kLarge, .last_use = at}, from_);
  settings_.max_size = 5 * kLarge;
  const Imported done = imported(exported(from_));
  EXPECT_EQ(done.tally.results, 4u) << "four fifths of the limit are values";
  EXPECT_EQ(done.tally.error, "6 did not fit into max_size; those that were used last were taken");
  EXPECT_FALSE(to_.actions.contains(digest_of("result 1statea.h")));
  EXPECT_TRUE(to_.actions.contains(digest_of("result 10statea.h")));
}

TEST_F(Transfer, OfAnEmptyStoreIsAnArchiveWithoutResults) {
  EXPECT_EQ(imported(exported(from_)).tally.results, 0u);
  EXPECT_TRUE(to_.actions.empty());
}

TEST_F(Transfer, LeavesAloneWhatTheStoreHas) {
  fill();
  const std::string bytes = exported(from_);
  const unsigned writes = from_.action_writes;
  const Result<Imported> again = import(bytes, from_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->tally.known, 7u);
  EXPECT_EQ(from_.action_writes, writes);
}

TEST_F(Transfer, ByArchitectureLeavesOutWhatNamesAnotherOne) {
  fill();
  const Imported done = imported(exported(from_, {.archs = {"gfx90a"}}));
  EXPECT_EQ(done.tally.results, 5u) << "all but gfx906's and the request's for both";
  EXPECT_TRUE(to_.actions.contains(digest_of("device bstatea.h")));
  EXPECT_TRUE(to_.actions.contains(digest_of("opaquestatea.h")));
  EXPECT_FALSE(to_.actions.contains(digest_of("device a")));
  EXPECT_FALSE(to_.actions.contains(digest_of("device astatea.h")));
  EXPECT_FALSE(to_.actions.contains(digest_of("requeststatea.h")));
}

TEST_F(Transfer, ByArchitectureWithFeaturesMeansThoseFeatures) {
  fill();
  imported(exported(from_, {.archs = {"gfx90a:xnack-"}}));
  EXPECT_FALSE(to_.actions.contains(digest_of("device bstatea.h")));
  imported(exported(from_, {.archs = {"gfx906", "gfx90a:xnack+"}}));
  EXPECT_EQ(to_.actions, from_.actions);
}

TEST_F(Transfer, WithinASizeTakesTheLastUsedFirst) {
  std::vector<Digest> oldest_first;
  for (unsigned at = 0; at < 40; ++at)
    oldest_first.push_back(put({.name = "n" + std::to_string(at), .size = 50'000 + 1000 * at, .last_use = at}, from_));
  for (const std::uint64_t limit : {20'000u, 100'000u, 500'000u, 1'000'000u, 1'500'000u, 5'000'000u}) {
    const Result<Exported> done = export_from(from_, "limited", {}, limit);
    ASSERT_TRUE(done) << done.error().message;
    const std::string bytes = support::read_bytes(scratch_ / "limited");
    EXPECT_LE(bytes.size(), limit);
    EXPECT_EQ(done->bytes, bytes.size());
    EXPECT_EQ(done->is_limited, done->results < 40);
    support::MemoryStore store;
    ASSERT_TRUE(import(bytes, store));
    for (unsigned at = 0; at < 40; ++at)
      EXPECT_EQ(store.actions.contains(oldest_first[at]), at >= 40 - done->results) << at << " of " << done->results;
  }
  EXPECT_EQ(export_from(from_, "all", {}, 5'000'000)->results, 40u);
  EXPECT_GT(export_from(from_, "half", {}, 1'000'000)->results, 8u) << "the limit is used";
}

TEST_F(Transfer, SinceATimeTakesWhatWasUsedThenOrLater) {
  put({.name = "old", .last_use = 99}, from_);
  put({.name = "new", .last_use = 100}, from_);
  EXPECT_EQ(imported(exported(from_, {.used_since = 100})).tally.results, 1u);
  EXPECT_TRUE(to_.actions.contains(digest_of("newstatea.h")));
}

TEST_F(Transfer, HasALargeBlobOnceHoweverManyResultsNameIt) {
  put({.name = "same", .steps = {"gfx906"}, .size = 3 * kLarge}, from_);
  const std::size_t one = exported(from_).size();
  put({.name = "same", .steps = {"gfx906"}, .size = 3 * kLarge, .header = "b.h"}, from_);
  EXPECT_LT(exported(from_).size(), one + kLarge / 2);
  EXPECT_EQ(imported(exported(from_)).tally.results, 2u);
}

TEST_F(Transfer, LeavesOutAResultThatLostABlob) {
  fill();
  std::erase_if(from_.blobs, [](const auto& blob) { return blob.second.starts_with("device a"); });
  EXPECT_EQ(imported(exported(from_)).tally.results, 6u);
}

TEST_F(Transfer, NeverCarriesAResultThatNamesAPlaceOutsideOfARequest) {
  fill();
  // accept() refuses such a result, so it is put as a compile would.
  cache::ActionResult result = *cache::ActionResult::decode(from_.actions[digest_of("requeststatea.h")]);
  result.outputs.front().place = "/home/user/.profile";
  from_.actions[digest_of("requeststatea.h")] = result.encode();
  EXPECT_EQ(imported(exported(from_)).tally.results, 6u);
}

TEST_F(Transfer, OfATroubledStoreIsOneError) {
  fill();
  const std::string bytes = exported(from_);
  from_.broken = to_.broken = true;
  const Result<Exported> out = export_from(from_, "broken");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message, "store: broken on purpose");
  const Result<Imported> in = import(bytes, to_);
  ASSERT_FALSE(in);
  EXPECT_THAT(in.error().message, HasSubstr("the store takes no results: store: broken on purpose"));
}

TEST_F(Transfer, LeavesOutAResultThatSaysNotWhatLeadsToIt) {
  const Digest key = put({.name = "old"}, from_);
  cache::ActionResult result = *cache::ActionResult::decode(from_.actions[key]);
  result.found_by.reset();
  from_.actions[key] = result.encode();
  EXPECT_EQ(imported(exported(from_)).tally.results, 0u);
}

}  // namespace
}  // namespace hipcache::remote
