// With trusted keys, results are found only while the same keys are trusted, wherever they came from. A daemon that
// signs finds only what daemons that sign have compiled or taken.
#include <gtest/gtest.h>

#include <utility>

#include "cache/shared_cache.h"
#include "cache/stored_results.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/exchange.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;
using inputs::Witnessed;

// Our own store over another one.
class OverSeed : public support::MemoryStore {
 public:
  explicit OverSeed(support::MemoryStore& seed) : seed_(seed) { blobs = seed.blobs; }
  std::vector<std::shared_ptr<store::ReadableStore>> lower() override {
    return {{std::shared_ptr<void>(), &seed_}};  // not owned
  }

 private:
  support::MemoryStore& seed_;
};

class TrustedResults : public testing::Test {
 protected:
  void compile(support::MemoryStore& store, const Trusted& trust, RemoteResults* remote = nullptr) {
    ActionCache cache(store, file_system_, log_, remote, trust);
    ActionResult result;
    result.outputs = {{.name = "object", .blob = *store.put_blob("object"), .size = 6}};
    const auto set = std::make_shared<const PathSet>(PathSet({{Question::content, scratch_.write("a.h", "A")}}));
    ASSERT_TRUE(cache.record(key_, {set, file_system_.state(*set, from_)}, result));
  }
  bool hits(support::MemoryStore& store, const Trusted& trust, RemoteResults* remote = nullptr) {
    ActionCache cache(store, file_system_, log_, remote, trust);
    const auto lease = store.lease();
    return cache.look_up(key_, any_result, from_, *lease).has_value();
  }

  support::Scratch scratch_;
  support::MemoryStore store_;
  inputs::FileSystemState file_system_;
  Log log_;
  inputs::RunContext from_{scratch_.path(), {}};
  ActionKey key_{digest_of("key")};
  const Trusted ours_ = Trust{.keys = digest_of("our keys")}, theirs_ = Trust{.keys = digest_of("their keys")};
  const Trusted our_signer_ = Trust{.keys = ours_->keys, .signs = true};
};

TEST_F(TrustedResults, AreApartForEachSetOfTrustedKeys) {
  compile(store_, std::nullopt);
  EXPECT_TRUE(hits(store_, std::nullopt));
  EXPECT_FALSE(hits(store_, ours_)) << "it may have come from anywhere";
  compile(store_, ours_);
  EXPECT_TRUE(hits(store_, ours_));
  EXPECT_FALSE(hits(store_, theirs_));
  EXPECT_TRUE(hits(store_, std::nullopt)) << "both are kept";
}

TEST_F(TrustedResults, FromSharedCachesAreApartToo) {
  SharedCache shared;
  support::MemoryStore filler;
  compile(filler, std::nullopt, &shared);
  EXPECT_TRUE(hits(store_, std::nullopt, &shared));
  EXPECT_TRUE(hits(store_, std::nullopt));
  EXPECT_FALSE(hits(store_, ours_)) << "taken before the keys were set";
  EXPECT_TRUE(hits(store_, ours_, &shared)) << "taken again, by hipcache-remote's leave";
  EXPECT_TRUE(hits(store_, ours_));
  EXPECT_FALSE(hits(store_, theirs_));
}

TEST_F(TrustedResults, ThatAnAuditDroppedAreNotTakenAgain) {
  SharedCache shared;
  compile(store_, ours_, &shared);
  {
    ActionCache cache(store_, file_system_, log_, &shared, ours_);
    const auto lease = store_.lease();
    const std::optional<Hit> hit = cache.look_up(key_, any_result, from_, *lease);
    ASSERT_TRUE(hit);
    ASSERT_TRUE(cache.drop(key_, *hit));
  }
  EXPECT_FALSE(hits(store_, ours_, &shared));
}

TEST_F(TrustedResults, ArePublishedUnderTheKeyThatOthersAskFor) {
  SharedCache shared;
  compile(store_, ours_, &shared);
  support::MemoryStore second, third;
  EXPECT_TRUE(hits(second, theirs_, &shared));
  EXPECT_TRUE(hits(third, std::nullopt, &shared));
}

TEST_F(TrustedResults, OfADaemonThatDoesNotSignAreNotFoundByOneThatDoes) {
  compile(store_, ours_);
  EXPECT_FALSE(hits(store_, our_signer_)) << "it may have been made of what a seed had";
  compile(store_, our_signer_);
  EXPECT_TRUE(hits(store_, our_signer_));
}

TEST_F(TrustedResults, OfADaemonThatSignsAreFoundByThoseWhoTrustTheSame) {
  compile(store_, our_signer_);
  EXPECT_TRUE(hits(store_, ours_));
  EXPECT_FALSE(hits(store_, theirs_));
  EXPECT_FALSE(hits(store_, std::nullopt));
  EXPECT_FALSE(hits(store_, Trust{.keys = theirs_->keys, .signs = true}));
}

TEST_F(TrustedResults, OfASeedAreNotFoundByADaemonThatSignsWhoeverFilledIt) {
  for (const Trusted& filler : {ours_, our_signer_}) {
    support::MemoryStore seed;
    compile(seed, filler);
    OverSeed own(seed);
    EXPECT_FALSE(hits(own, our_signer_));
    EXPECT_TRUE(hits(own, ours_));
    EXPECT_FALSE(hits(own, our_signer_)) << "it was taken from the seed meanwhile";
    seed.actions.clear();
    EXPECT_TRUE(hits(own, ours_)) << "it is our own now, for a daemon that does not sign";
    EXPECT_FALSE(hits(own, our_signer_));
  }
}

TEST_F(TrustedResults, OfASharedCacheAreFoundByTheDaemonThatTookThemAndTakenAgainByTheOneThatSigns) {
  SharedCache shared;
  support::MemoryStore filler;
  compile(filler, our_signer_, &shared);
  EXPECT_TRUE(hits(store_, ours_, &shared));
  EXPECT_FALSE(hits(store_, our_signer_)) << "the settings do not say what was checked then";
  EXPECT_TRUE(hits(store_, our_signer_, &shared));
  EXPECT_TRUE(hits(store_, our_signer_));
}

// As versions stored it that kept no place apart for daemons that sign, and those before exports.
TEST_F(TrustedResults, OfEarlierVersionsAreFoundOnlyByDaemonsThatDoNotSign) {
  compile(store_, std::nullopt);
  const Digest set = PathSet({{Question::content, scratch_ / "a.h"}}).id();
  const PathSet questions({{Question::content, scratch_ / "a.h"}});
  const Digest place = result_key(key_, set, file_system_.state(questions, from_));
  for (const bool has_found_by : {true, false}) {
    ActionResult result = *ActionResult::decode(store_.actions.at(place));
    if (!has_found_by) result.found_by.reset();
    store_.actions[stored_under(ours_, place)] = result.encode();
    EXPECT_FALSE(hits(store_, our_signer_));
    EXPECT_TRUE(hits(store_, ours_));
    EXPECT_FALSE(hits(store_, our_signer_)) << "a hit does not vouch for it";
  }
}

TEST_F(TrustedResults, OfADaemonThatSignsAreExportedByOneThatSignsAndNoOthers) {
  compile(store_, ours_);
  const auto selected = [&](const Trusted& trust) {
    const auto stored = select_stored(store_, {.archs = {}, .used_since = 0, .trust = trust});
    EXPECT_TRUE(stored);
    return stored ? stored->results.size() : 0;
  };
  EXPECT_EQ(selected(our_signer_), 0u);
  compile(store_, our_signer_);
  EXPECT_EQ(selected(our_signer_), 1u);
}

TEST_F(TrustedResults, ThatAnAuditDroppedAreDroppedForDaemonsThatSignAndForOthers) {
  for (const Trusted& auditor : {ours_, our_signer_}) {
    compile(store_, ours_);
    compile(store_, our_signer_);
    ActionCache cache(store_, file_system_, log_, nullptr, auditor);
    const auto lease = store_.lease();
    const std::optional<Hit> hit = cache.look_up(key_, any_result, from_, *lease);
    ASSERT_TRUE(hit);
    ASSERT_TRUE(cache.drop(key_, *hit));
    EXPECT_FALSE(hits(store_, ours_));
    EXPECT_FALSE(hits(store_, our_signer_));
    compile(store_, our_signer_);
    EXPECT_TRUE(hits(store_, our_signer_)) << "a run replaces the mark";
  }
}

}  // namespace
}  // namespace hipcache::cache
