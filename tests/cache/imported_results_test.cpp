// What an import of an archive puts into our own store, and what look-ups make of it.
#include <gtest/gtest.h>

#include <utility>

#include "cache/stored_results.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/exchange.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;

const std::string kObject = "an object";
const std::string kTier = "redis://server";

class ImportedResults : public testing::Test {
 protected:
  ImportedResults() {
    result_.outputs = {{.name = "object", .blob = *store_.put_blob(kObject), .size = kObject.size()}};
    names_.result_key = result_key(key_, names_.path_set, file_system_.state(*set_, from_));
  }

  // An archive may name any result key.
  Accepted import(const Digest& result_key, const Trusted& trust = std::nullopt) {
    const auto lease = store_.lease();
    const std::string questions = set_->encode(), action = result_.encode();
    const Offered offered{key_.value, result_key, set_->id(), questions, action};
    const Result<Accepted> accepted = accept(offered, trust, store_, *lease);
    EXPECT_TRUE(accepted);
    return accepted ? *accepted : Accepted::refused;
  }
  std::optional<Hit> look_up(ActionCache& cache) {
    const auto lease = store_.lease();
    return cache.look_up(key_, any_result, from_, *lease);
  }
  bool hits(const Trusted& trust = std::nullopt) {
    ActionCache cache(store_, file_system_, log_, nullptr, trust);
    return look_up(cache).has_value();
  }

  support::Scratch scratch_;
  support::MemoryStore store_;
  inputs::FileSystemState file_system_;
  Log log_;
  inputs::RunContext from_{scratch_.path(), {}};
  ActionKey key_{digest_of("key")};
  std::shared_ptr<const PathSet> set_ =
      std::make_shared<const PathSet>(PathSet({{Question::content, scratch_.write("a.h", "A")}}));
  FoundBy names_{key_.value, set_->id(), {}};  // of the result that is valid now
  ActionResult result_;
  const Trusted ours_ = Trust{.keys = digest_of("our keys")};
};

TEST_F(ImportedResults, AreServedUnderTheKeysThatTheyWereImportedFor) {
  EXPECT_EQ(import(names_.result_key), Accepted::stored);
  EXPECT_EQ(import(names_.result_key), Accepted::known);
  EXPECT_TRUE(hits());
  EXPECT_FALSE(hits(ours_)) << "nobody asked for a signature";
  EXPECT_EQ(import(names_.result_key, ours_), Accepted::stored);
  EXPECT_TRUE(hits(ours_));
}

TEST_F(ImportedResults, AreNotServedInThePlaceOfTrustedOnes) {
  EXPECT_EQ(import(stored_under(ours_, names_.result_key)), Accepted::stored);
  EXPECT_FALSE(hits(ours_)) << "an archive without signatures named the key that trusted results have";
}

TEST_F(ImportedResults, AreNotTakenOverFromAnotherStoreInThePlaceOfTrustedOnes) {
  EXPECT_EQ(import(stored_under(ours_, names_.result_key)), Accepted::stored);
  class Above : public support::MemoryStore {
   public:
    explicit Above(support::MemoryStore& below) : below_(below) { blobs = below.blobs; }
    std::vector<std::shared_ptr<store::ReadableStore>> lower() override {
      return {{std::shared_ptr<void>(), &below_}};  // not owned
    }

   private:
    support::MemoryStore& below_;
  } above(store_);
  ActionCache cache(above, file_system_, log_, nullptr, ours_);
  const auto lease = above.lease();
  EXPECT_FALSE(cache.look_up(key_, any_result, from_, *lease));
}

TEST_F(ImportedResults, DoNotReplaceTheMarkOfADroppedOne) {
  for (const Trusted& trust : {Trusted(), ours_}) {
    EXPECT_EQ(import(names_.result_key, trust), Accepted::stored);
    ActionCache cache(store_, file_system_, log_, nullptr, trust);
    const std::optional<Hit> hit = look_up(cache);
    ASSERT_TRUE(hit);
    ASSERT_TRUE(cache.drop(key_, *hit));
    EXPECT_EQ(import(names_.result_key, trust), Accepted::refused);
    EXPECT_FALSE(hits(trust));
  }
}

// A large store that was opened just now has not read all names of its values yet.
TEST_F(ImportedResults, DoNotReplaceTheMarkInAStoreThatIsStillBeingRead) {
  ASSERT_TRUE(store_.put_action(names_.result_key, dropped_mark()));
  class StillBeingRead : public support::MemoryStore {
   public:
    store::ReadableStore& quiet() override { return nothing_; }

   private:
    support::MemoryStore nothing_;
  } store;
  store.actions = store_.actions;
  store.blobs = store_.blobs;
  const auto lease = store.lease();
  const std::string questions = set_->encode(), action = result_.encode();
  const Offered offered{key_.value, names_.result_key, set_->id(), questions, action};
  EXPECT_EQ(*accept(offered, std::nullopt, store, *lease), Accepted::refused);
  EXPECT_EQ(store.actions.at(names_.result_key), dropped_mark());
}

TEST_F(ImportedResults, ReplaceNothingOfAnotherKind) {
  const Digest other = digest_of("the key of another value");
  ASSERT_TRUE(store_.put_action(other, "another value"));
  EXPECT_EQ(import(other), Accepted::refused);
  EXPECT_EQ(store_.actions.at(other), "another value");
}

// As versions before exports stored it, and as they noted where it came from.
TEST_F(ImportedResults, OfAnEarlierVersionKeepTheirOriginWhenAHitNotesWhatTheyAreFoundBy) {
  const std::string earlier = result_.encode();
  ASSERT_TRUE(store_.put_action(names_.result_key, earlier));
  ASSERT_TRUE(store_.put_action(origin_key(names_.result_key), encode_origin(earlier, kTier)));
  ASSERT_TRUE(store_.add_path_set(key_.value, {set_->id(), *store_.put_blob(set_->encode())}));
  ActionCache cache(store_, file_system_, log_);
  for (int look = 0; look < 2; ++look) {
    const std::optional<Hit> hit = look_up(cache);
    ASSERT_TRUE(hit);
    EXPECT_EQ(cache.origin(key_, *hit), kTier) << "look-up " << look;
    EXPECT_EQ(ActionResult::decode(store_.actions.at(names_.result_key))->found_by, names_);
  }
}

TEST_F(ImportedResults, OfASharedCacheAreStoredWithTheirOriginAndWhatTheyAreFoundBy) {
  const auto lease = store_.lease();
  const Received received{key_, names_.result_key, set_, result_, kTier};
  ASSERT_TRUE(put_received(received, ours_, is_not_dropped, store_, *lease));
  ActionCache cache(store_, file_system_, log_, nullptr, ours_);
  const std::optional<Hit> hit = look_up(cache);
  ASSERT_TRUE(hit);
  EXPECT_EQ(cache.origin(key_, *hit), kTier);
  EXPECT_EQ(ActionResult::decode(store_.actions.at(stored_under(ours_, names_.result_key)))->found_by, names_);
}

TEST_F(ImportedResults, AreExportedOnlyWhileTheSameKeysAreTrusted) {
  EXPECT_EQ(import(names_.result_key, ours_), Accepted::stored);
  const auto exported = [&](const Trusted& trust) {
    const auto selected = select_stored(store_, {.archs = {}, .used_since = 0, .trust = trust});
    EXPECT_TRUE(selected);
    return selected->results;
  };
  EXPECT_TRUE(exported(std::nullopt).empty());
  EXPECT_TRUE(exported(Trust{.keys = digest_of("their keys")}).empty());
  ASSERT_EQ(exported(ours_).size(), 1u);
  EXPECT_EQ(exported(ours_).front().found_by, names_);
  const std::optional<Publication> publication = read_publication(store_, exported(ours_).front());
  ASSERT_TRUE(publication);
  EXPECT_EQ(publication->result_key, names_.result_key) << "whatever keys are trusted";
  EXPECT_EQ(publication->action, result_.encode());
}

}  // namespace
}  // namespace hipcache::cache
