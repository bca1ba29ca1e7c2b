// With trusted keys, results are found only while the same keys are trusted, wherever they came from.
#include <gtest/gtest.h>

#include <utility>

#include "cache/remote_look_up.h"
#include "hipcache/cache/action_cache.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;
using inputs::Witnessed;
using Trusted = std::optional<Digest>;

// Keeps what is published, and serves it.
class SharedCache : public RemoteResults {
 public:
  std::vector<std::shared_ptr<const RemoteList>> lists(std::span<const ListName> names) override {
    std::vector<std::shared_ptr<const RemoteList>> lists;
    for (const ListName& name : names) {
      const auto list = std::make_shared<RemoteList>();
      list->asked = 1;
      for (const Publication& one : published)
        if (name.skip == 0 && one.key == name.key)
          list->sets.push_back({one.path_set->id(), one.path_set->encode(), {remote_tag(one.result_key)}});
      lists.push_back(list->sets.empty() ? nullptr : list);
    }
    return lists;
  }
  std::vector<std::optional<RemoteResult>> results(std::span<const Digest> keys) override {
    std::vector<std::optional<RemoteResult>> results;
    for (const Digest& key : keys) {
      results.emplace_back();
      for (const Publication& one : published)
        if (one.result_key == key)
          results.back() = RemoteResult{.tier = "shared", .action = one.action, .blobs = {{digest_of(object), object}}};
    }
    return results;
  }
  std::vector<std::optional<std::string>> blobs(std::span<const RemoteBlobName> names) override {
    return std::vector<std::optional<std::string>>(names.size());
  }
  void publish(Publication publication) override { published.push_back(std::move(publication)); }

  std::vector<Publication> published;
  std::string object = "object";
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
  const Trusted ours_ = digest_of("our keys"), theirs_ = digest_of("their keys");
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

}  // namespace
}  // namespace hipcache::cache
