// Results that an audit found wrong: no look-up finds them again, wherever else they are stored, until a run replaces
// them.
#include <gtest/gtest.h>

#include <utility>

#include "cache/stored_results.h"
#include "hipcache/cache/action_cache.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;
using inputs::Witnessed;

const std::string kObject = "an object";

// A shared cache with the result that was published last.
class Server : public RemoteResults {
 public:
  std::vector<std::shared_ptr<const RemoteList>> lists(std::span<const ListName> names) override {
    std::vector<std::shared_ptr<const RemoteList>> lists(names.size());
    for (std::size_t at = 0; at < names.size(); ++at) {
      if (!has_ || names[at].key != has_->key || names[at].skip > 0) continue;
      RemoteList list;
      list.asked = 1;
      list.sets.push_back({has_->path_set->id(), has_->path_set->encode(), {remote_tag(has_->result_key)}});
      lists[at] = std::make_shared<const RemoteList>(std::move(list));
    }
    return lists;
  }
  std::vector<std::optional<RemoteResult>> results(std::span<const Digest> keys) override {
    asked_for_results += static_cast<unsigned>(keys.size());
    std::vector<std::optional<RemoteResult>> results(keys.size());
    for (std::size_t at = 0; at < keys.size(); ++at)
      if (has_ && keys[at] == has_->result_key)
        results[at] =
            RemoteResult{.tier = "redis://server", .action = has_->action, .blobs = {{digest_of(kObject), kObject}}};
    return results;
  }
  std::vector<std::optional<std::string>> blobs(std::span<const RemoteBlobName> names) override {
    return std::vector<std::optional<std::string>>(names.size());
  }
  void publish(Publication publication) override { has_ = std::move(publication); }

  unsigned asked_for_results = 0;

 private:
  std::optional<Publication> has_;
};

// Our own store over another one.
class OverAnother : public support::MemoryStore {
 public:
  explicit OverAnother(support::MemoryStore& lower) : lower_(lower) {}
  std::vector<std::shared_ptr<store::ReadableStore>> lower() override {
    return {{std::shared_ptr<void>(), &lower_}};  // not owned
  }

 private:
  support::MemoryStore& lower_;
};

class DroppedResults : public testing::Test {
 protected:
  DroppedResults() { scratch_.write("a.h", "A"); }

  void compile(store::LocalStore& store, RemoteResults* remote = nullptr) {
    ActionCache cache(store, file_system_, log_, remote);
    ActionResult result{.outputs = {{.name = "object", .blob = *store.put_blob(kObject), .size = kObject.size()}},
                        .stdout_text = "",
                        .stderr_text = "",
                        .duration_us = ++runs_,
                        .steps = {}};
    const auto set = std::make_shared<const PathSet>(PathSet({{Question::content, scratch_ / "a.h"}}));
    ASSERT_TRUE(cache.record(key_, {set, file_system_.state(*set, from_)}, result));
  }
  static std::optional<Hit> look_up(ActionCache& cache, store::LocalStore& store, const inputs::RunContext& from) {
    const auto lease = store.lease();
    return cache.look_up(ActionKey{digest_of("key")}, any_result, from, *lease);
  }

  support::Scratch scratch_;
  inputs::FileSystemState file_system_;
  Log log_;
  inputs::RunContext from_{scratch_.path(), {}};
  ActionKey key_{digest_of("key")};
  std::uint64_t runs_ = 0;
};

TEST_F(DroppedResults, AreMissesUntilARunReplacesThem) {
  support::MemoryStore store;
  compile(store);
  ActionCache cache(store, file_system_, log_);
  const std::optional<Hit> hit = look_up(cache, store, from_);
  ASSERT_TRUE(hit);
  EXPECT_EQ(cache.origin(key_, *hit), "");
  EXPECT_TRUE(cache.drop(key_, *hit));
  EXPECT_FALSE(look_up(cache, store, from_));
  compile(store);
  EXPECT_TRUE(look_up(cache, store, from_));
}

TEST_F(DroppedResults, AreNotTakenFromAStoreBelow) {
  support::MemoryStore lower;
  OverAnother own(lower);
  compile(lower);
  ActionCache cache(own, file_system_, log_);
  own.blobs = lower.blobs;
  const std::optional<Hit> hit = look_up(cache, own, from_);
  ASSERT_TRUE(hit);
  EXPECT_TRUE(cache.drop(key_, *hit));
  EXPECT_FALSE(look_up(cache, own, from_));
}

TEST_F(DroppedResults, OfASharedCacheAreNamedByItAndNotAskedForAgain) {
  Server server;
  support::MemoryStore theirs;
  compile(theirs, &server);
  support::MemoryStore own;
  ActionCache cache(own, file_system_, log_, &server);
  const std::optional<Hit> hit = look_up(cache, own, from_);
  ASSERT_TRUE(hit);
  EXPECT_EQ(cache.origin(key_, *hit), "redis://server");
  EXPECT_EQ(server.asked_for_results, 1u);
  EXPECT_TRUE(cache.drop(key_, *hit));
  EXPECT_FALSE(look_up(cache, own, from_));
  EXPECT_EQ(server.asked_for_results, 1u) << "its list shows that it is the same one";
}

TEST_F(DroppedResults, HaveNoOriginOnceAnotherRunReplacedThem) {
  Server server;
  support::MemoryStore theirs;
  compile(theirs, &server);
  support::MemoryStore own;
  ActionCache cache(own, file_system_, log_, &server);
  ASSERT_TRUE(look_up(cache, own, from_));
  compile(own);
  const std::optional<Hit> hit = look_up(cache, own, from_);
  ASSERT_TRUE(hit);
  EXPECT_EQ(cache.origin(key_, *hit), "");
}

TEST(ResultMarks, OriginsAreRefusedWhereTheyAreCutOrOfAnotherResult) {
  const std::string origin = encode_origin("result", "tier");
  EXPECT_EQ(tier_of(origin, "result"), "tier");
  EXPECT_EQ(tier_of(origin, "another result"), "");
  EXPECT_EQ(tier_of(origin + "x", "result"), "");
  for (std::size_t size = 0; size < origin.size(); ++size) EXPECT_EQ(tier_of(origin.substr(0, size), "result"), "");
}

TEST(ResultMarks, NoResultLooksLikeTheMarkOfADroppedOne) {
  EXPECT_TRUE(is_dropped_mark(dropped_mark()));
  EXPECT_FALSE(is_dropped_mark(ActionResult().encode()));
  EXPECT_FALSE(ActionResult::decode(dropped_mark()));
}

}  // namespace
}  // namespace hipcache::cache
