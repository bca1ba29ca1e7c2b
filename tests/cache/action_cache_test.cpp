#include "hipcache/cache/action_cache.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <thread>
#include <utility>

#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;
using inputs::Witnessed;

class ActionCacheTest : public testing::Test {
 protected:
  ActionCacheTest() : lease_(store_.lease()) {}

  void write(const std::string& name, const std::string& bytes) { scratch_.write(name, bytes); }
  PathSet reads(const std::string& name) const { return PathSet({{Question::content, scratch_ / name}}); }
  PathSet looks_for(const std::string& name) const { return PathSet({{Question::presence, scratch_ / name}}); }
  PathSet reads_tokens(const std::string& name) const { return PathSet({{Question::tokens, scratch_ / name}}); }
  Witnessed witnessed(const PathSet& set) {
    const inputs::State state = file_system_.full_state(set, from_);
    return {std::make_shared<const PathSet>(set), state.digest, state.overlooked};
  }

  ActionResult object(const std::string& bytes) {
    ActionResult result;
    result.outputs = {{.name = "object", .blob = *store_.put_blob(bytes), .size = bytes.size()}};
    return result;
  }
  void compile(const PathSet& set, const std::string& object_bytes) {
    Status recorded = cache_.record(key_, witnessed(set), object(object_bytes));
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  }
  // The object's bytes, or "miss".
  std::string look_up() {
    std::optional<Hit> hit = cache_.look_up(key_, suffices_, from_, *lease_);
    return hit ? store_.blobs[hit->result.output("object")->blob] : "miss";
  }
  // As after a restart of the daemon: nothing is known but what is stored.
  std::string look_up_afresh() {
    ActionCache fresh(store_, file_system_, log_);
    std::optional<Hit> hit = fresh.look_up(key_, suffices_, from_, *lease_);
    return hit ? store_.blobs[hit->result.output("object")->blob] : "miss";
  }

  support::Scratch scratch_;
  support::MemoryStore store_;
  inputs::FileSystemState file_system_;
  Log log_;
  ActionCache cache_{store_, file_system_, log_};
  std::unique_ptr<store::Lease> lease_;
  inputs::RunContext from_{scratch_.path(), {}};
  ActionKey key_{digest_of("key")};
  Suffices suffices_ = any_result;
};

TEST_F(ActionCacheTest, MissesWhatWasNeverRecorded) {
  EXPECT_EQ(look_up(), "miss");
  EXPECT_EQ(cache_.known_inputs(key_), 0u);
}

TEST_F(ActionCacheTest, MissesAResultThatLacksAnOutputUntilOneThatHasItIsRecorded) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  suffices_ = [](const ActionResult& result) { return result.output("depfile") != nullptr; };
  EXPECT_EQ(look_up(), "miss");
  EXPECT_EQ(look_up_afresh(), "miss");
  ActionResult both = object("object A");
  both.outputs.push_back({.name = "depfile", .blob = *store_.put_blob("a.o: a.h\n"), .size = 9});
  ASSERT_TRUE(cache_.record(key_, witnessed(reads("a.h")), both).ok());
  EXPECT_EQ(look_up(), "object A");
  suffices_ = any_result;
  EXPECT_EQ(look_up(), "object A");
}

// Sets are tried in turn: one whose result is of no use does not hide the next one's.
TEST_F(ActionCacheTest, FindsTheResultThatSufficesBehindOneThatDoesNot) {
  write("a.h", "A");
  write("b.h", "B");
  compile(reads("a.h"), "the wanted one");
  compile(reads("b.h"), "another one");
  const Digest wanted = *store_.put_blob("the wanted one");
  suffices_ = [&](const ActionResult& result) { return result.output("object")->blob == wanted; };
  EXPECT_EQ(look_up(), "the wanted one");
}

TEST_F(ActionCacheTest, HitsWhatWasRecordedAlsoAfterARestart) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  EXPECT_EQ(look_up(), "object A");
  EXPECT_EQ(look_up_afresh(), "object A");
  EXPECT_EQ(cache_.known_inputs(key_), 1u);
}

TEST_F(ActionCacheTest, MissesUnderAnotherKey) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  key_ = {digest_of("another key")};
  EXPECT_EQ(look_up(), "miss");
}

TEST_F(ActionCacheTest, HitsEveryStateThatWasEverRecorded) {
  for (int i = 0; i < 50; ++i) {
    write("a.h", std::to_string(i));
    EXPECT_EQ(look_up(), "miss");
    compile(reads("a.h"), "object " + std::to_string(i));
  }
  for (int i = 0; i < 50; ++i) {
    write("a.h", std::to_string(i));
    EXPECT_EQ(look_up(), "object " + std::to_string(i));
  }
}

TEST_F(ActionCacheTest, HitsUnderAnOlderPathSetAndMovesItToTheFront) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  write("a.h", "B");
  compile(PathSet({{Question::content, scratch_ / "a.h"}, {Question::presence, scratch_ / "b.h"}}), "object B");
  write("a.h", "A");
  const unsigned writes = store_.action_writes;
  EXPECT_EQ(look_up(), "object A");
  EXPECT_EQ(store_.action_writes, writes + 1) << "the list, once";
  EXPECT_EQ(cache_.known_inputs(key_), 1u);
  EXPECT_EQ(look_up(), "object A");
  EXPECT_EQ(store_.action_writes, writes + 1) << "a hit on the first set writes nothing";
}

TEST_F(ActionCacheTest, KeepsABoundedNumberOfPathSets) {
  for (std::size_t i = 0; i < store::kMaxPathSets + 5; ++i) {
    write("file" + std::to_string(i), "A");
    compile(reads("file" + std::to_string(i)), "object");
  }
  for (std::size_t i = 0; i < store::kMaxPathSets + 5; ++i) write("file" + std::to_string(i), "B");
  inputs::Effort effort;
  EXPECT_FALSE(cache_.look_up(key_, suffices_, from_, *lease_, &effort).has_value());
  EXPECT_EQ(effort.stats, store::kMaxPathSets) << "the one file of each set";
}

TEST_F(ActionCacheTest, MissesWhenABlobIsGone) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  store_.blobs.erase(digest_of("object A"));
  EXPECT_EQ(look_up(), "miss");
}

TEST_F(ActionCacheTest, HoldsTheBlobsOfAHitUnderTheLease) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  EXPECT_FALSE(store_.leased.contains(digest_of("object A")));
  look_up();
  EXPECT_TRUE(store_.leased.contains(digest_of("object A")));
}

TEST_F(ActionCacheTest, MissesWhenThePathSetsBlobIsGoneOrDamagedOrOfAnotherSet) {
  write("a.h", "A");
  const PathSet set = reads("a.h");
  compile(set, "object A");
  const Digest blob = digest_of(set.encode());
  ASSERT_TRUE(store_.blobs.contains(blob));
  store_.blobs[blob] = "damaged";
  EXPECT_EQ(look_up_afresh(), "miss");
  store_.blobs[blob] = PathSet({}).encode();
  EXPECT_EQ(look_up_afresh(), "miss");
  store_.blobs.erase(blob);
  EXPECT_EQ(look_up_afresh(), "miss");
}

TEST_F(ActionCacheTest, MissesWhenAnyActionIsDamaged) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  for (auto& [key, value] : store_.actions) {
    const std::string good = std::exchange(value, "damaged");
    EXPECT_EQ(look_up_afresh(), "miss");
    value = good;
  }
  EXPECT_EQ(look_up_afresh(), "object A");
}

TEST_F(ActionCacheTest, RecordsAnewOverADamagedList) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  store_.actions[key_.value] = "damaged";
  compile(reads("a.h"), "object A");
  EXPECT_EQ(look_up_afresh(), "object A");
}

TEST_F(ActionCacheTest, MissesAndReportsWhenTheStoreIsInTrouble) {
  write("a.h", "A");
  const ActionResult result = object("object A");
  store_.broken = true;
  EXPECT_EQ(look_up(), "miss");
  EXPECT_FALSE(cache_.record(key_, witnessed(reads("a.h")), result).ok());
}

// A server refuses an action that names a blob it does not have, and keeps blobs as long as their action.
TEST_F(ActionCacheTest, PutsTheBlobsThenTheResultThatNamesThemAndThenThePathSet) {
  class InOrder : public support::MemoryStore {
   public:
    Status put_action(const Digest& key, std::string_view value, std::span<const Digest> named) override {
      EXPECT_FALSE(named.empty());
      for (const Digest& blob : named) EXPECT_TRUE(blobs.contains(blob));
      ++results;
      return MemoryStore::put_action(key, value, named);
    }
    Status add_path_set(const Digest& key, const store::PathSetReference& set) override {
      EXPECT_TRUE(blobs.contains(set.blob));
      EXPECT_EQ(results, 1u);
      ++sets;
      return MemoryStore::add_path_set(key, set);
    }
    unsigned results = 0, sets = 0;
  } store;
  ActionCache cache(store, file_system_, log_);
  write("a.h", "A");
  ActionResult result;
  result.outputs = {{.name = "object", .blob = *store.put_blob("object A"), .size = 8}};
  ASSERT_TRUE(cache.record(key_, witnessed(reads("a.h")), result).ok());
  EXPECT_EQ(store.sets, 1u);
}

TEST_F(ActionCacheTest, RecordsUnderTheStateThatWasWitnessedAndNotThatOfNow) {
  write("a.h", "A");
  const Witnessed seen = witnessed(reads("a.h"));
  write("a.h", "B");
  ASSERT_TRUE(cache_.record(key_, seen, object("object A")).ok());
  EXPECT_EQ(look_up(), "miss") << "the object was made of A";
  write("a.h", "A");
  EXPECT_EQ(look_up(), "object A");
}

TEST_F(ActionCacheTest, RecordsAUnionOnlyIfEachPartStillHolds) {
  write("a.h", "A");
  write("b.h", "B");
  const std::vector<Witnessed> parts = {witnessed(reads("a.h")), witnessed(reads("b.h"))};
  write("b.h", "changed");
  EXPECT_FALSE(cache_.examine(parts, Whole::request, from_).agrees);
  write("b.h", "B");
  Examined examined = cache_.examine(parts, Whole::request, from_);
  ASSERT_TRUE(examined.agrees);
  EXPECT_EQ(look_up(), "miss");
  EXPECT_TRUE(cache_.record_union(key_, std::move(examined), object("object")).ok());
  EXPECT_EQ(look_up(), "object");
  EXPECT_EQ(cache_.known_inputs(key_), 2u);
  write("a.h", "changed");
  EXPECT_EQ(look_up(), "miss");
}

TEST_F(ActionCacheTest, GivesAHitsStateForUnionsOfHits) {
  write("a.h", "A");
  compile(reads("a.h"), "object A");
  const std::optional<Hit> hit = cache_.look_up(key_, suffices_, from_, *lease_);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->witnessed().state, witnessed(reads("a.h")).state);
}

TEST_F(ActionCacheTest, TellsAHitByTokensFromOneOfTheSameBytes) {
  const auto is_by_tokens = [&] { return cache_.look_up(key_, suffices_, from_, *lease_).value().is_by_tokens(); };
  write("a.h", "int a;  // one\n");
  compile(reads_tokens("a.h"), "object");
  EXPECT_FALSE(is_by_tokens());
  write("a.h", "int a;  // two\n");
  EXPECT_TRUE(is_by_tokens());
  compile(reads_tokens("a.h"), "object");
  EXPECT_FALSE(is_by_tokens()) << "the run with these bytes takes the place of the other";
  write("a.h", "int a;  // one\n");
  EXPECT_TRUE(is_by_tokens());
}

// Else a hit by tokens would become one of the same bytes, as soon as its request is recorded.
TEST_F(ActionCacheTest, KnowsNoBytesOfAUnionWithAHitByTokens) {
  const ActionKey request{digest_of("request")};
  write("a.h", "int a;  // one\n");
  write("b.h", "B");
  compile(reads_tokens("a.h"), "object");
  const auto record_request = [&] {
    const Hit step = cache_.look_up(key_, suffices_, from_, *lease_).value();
    Examined examined = cache_.examine({step.witnessed(), witnessed(reads("b.h"))}, Whole::request, from_);
    EXPECT_TRUE(examined.agrees);
    EXPECT_TRUE(cache_.record_union(request, std::move(examined), object("object")).ok());
    return cache_.look_up(request, suffices_, from_, *lease_).value().is_by_tokens();
  };
  EXPECT_FALSE(record_request());
  write("a.h", "int a;  // two\n");
  EXPECT_TRUE(record_request());
  write("a.h", "int a;  // one\n");
  EXPECT_FALSE(record_request());
}

TEST_F(ActionCacheTest, LosesNoPathSetOfRecordsAtOnce) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < store::kMaxPathSets; ++i)
    threads.emplace_back([&, i] {
      EXPECT_TRUE(cache_.record(key_, witnessed(looks_for("absent" + std::to_string(i))), object("object")).ok());
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < store::kMaxPathSets; ++i) {
    // Only the set that looks for the one name that stays absent can hit.
    for (std::size_t j = 0; j < store::kMaxPathSets; ++j)
      if (j != i) write("absent" + std::to_string(j), "");
    EXPECT_EQ(look_up(), "object") << "set " << i;
    for (std::size_t j = 0; j < store::kMaxPathSets; ++j) ::unlink((scratch_ / ("absent" + std::to_string(j))).c_str());
  }
}

}  // namespace
}  // namespace hipcache::cache
