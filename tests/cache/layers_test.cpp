// Looking up through our own store and another one below it: the lists of both count, and what hits becomes our own.
#include <gtest/gtest.h>

#include <utility>

#include "hipcache/cache/action_cache.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;
using inputs::Witnessed;

// Copies blobs up as hipcache/store/local_store.h says.
class OverAnother : public support::MemoryStore {
 public:
  explicit OverAnother(support::MemoryStore& lower) : lower_(lower) {}

  std::vector<std::shared_ptr<store::ReadableStore>> lower() override {
    ++asked_below;
    return {{std::shared_ptr<void>(), &lower_}};  // not owned
  }
  Result<bool> take_over_action(const Digest& key, std::string_view value, const store::MayReplace& may) override {
    ++taken_over;
    return put_action_if(key, value, may);
  }
  Result<std::optional<std::string>> blob(const Digest& digest) override {
    copy(digest);
    return MemoryStore::blob(digest);
  }
  Result<bool> hold_blobs(std::span<const Digest> digests, store::Lease& lease) override {
    for (const Digest& digest : digests) copy(digest);
    return MemoryStore::hold_blobs(digests, lease);
  }

  unsigned asked_below = 0;
  unsigned taken_over = 0;

 private:
  void copy(const Digest& digest) {
    if (const auto at = lower_.blobs.find(digest); at != lower_.blobs.end()) blobs[digest] = at->second;
  }

  support::MemoryStore& lower_;
};

class ActionLayers : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) { scratch_.write(name, bytes); }
  PathSet reads(const std::string& name) const { return PathSet({{Question::content, scratch_ / name}}); }

  void compile(store::LocalStore& store, const PathSet& set, const std::string& object_bytes) {
    ActionCache cache(store, file_system_, log_);
    ActionResult result;
    result.outputs = {{.name = "object", .blob = *store.put_blob(object_bytes), .size = object_bytes.size()}};
    const Witnessed witnessed{std::make_shared<const PathSet>(set), file_system_.state(set, from_)};
    ASSERT_TRUE(cache.record(key_, witnessed, result));
  }
  std::string look_up(support::MemoryStore& store) {
    ActionCache cache(store, file_system_, log_);
    const auto lease = store.lease();
    const std::optional<Hit> hit = cache.look_up(key_, any_result, from_, *lease);
    return hit ? store.blobs[hit->result.output("object")->blob] : "miss";
  }

  support::Scratch scratch_;
  support::MemoryStore lower_;
  OverAnother own_{lower_};
  inputs::FileSystemState file_system_;
  Log log_;
  inputs::RunContext from_{scratch_.path(), {}};
  ActionKey key_{digest_of("key")};
};

TEST_F(ActionLayers, WhatOnlyAnotherStoreHasIsAHitAndOurOwnFromThenOn) {
  write("a.h", "A");
  compile(lower_, reads("a.h"), "object A");
  EXPECT_EQ(look_up(own_), "object A");
  EXPECT_EQ(own_.taken_over, 1u);
  lower_.clear().ok();
  own_.asked_below = 0;
  EXPECT_EQ(look_up(own_), "object A");
  EXPECT_EQ(own_.taken_over, 1u);
  EXPECT_EQ(own_.asked_below, 0u) << "a hit of our own asks nobody else";
}

TEST_F(ActionLayers, AListOfOurOwnDoesNotHideTheListOfAnother) {
  write("a.h", "A");
  write("b.h", "B");
  compile(lower_, reads("b.h"), "theirs");
  compile(own_, reads("a.h"), "ours");
  EXPECT_EQ(look_up(own_), "ours");
  write("a.h", "another A");
  EXPECT_EQ(look_up(own_), "theirs") << "its path set stands in their list alone";
  write("a.h", "A");
  EXPECT_EQ(look_up(own_), "theirs") << "both hold, and the one that hit last is tried first";
}

TEST_F(ActionLayers, AResultOfAnotherIsFoundUnderAPathSetOfOurOwn) {
  write("a.h", "A");
  compile(own_, reads("a.h"), "ours");
  write("a.h", "another A");
  compile(lower_, reads("a.h"), "theirs");
  EXPECT_EQ(look_up(own_), "theirs");
  EXPECT_EQ(own_.actions.size(), 3u) << "a list and two results";
}

TEST_F(ActionLayers, AChangedInputIsAMissInAllStores) {
  write("a.h", "A");
  compile(lower_, reads("a.h"), "object A");
  write("a.h", "another A");
  EXPECT_EQ(look_up(own_), "miss");
  EXPECT_EQ(own_.taken_over, 0u);
}

TEST_F(ActionLayers, AResultBelowWhoseBlobIsGoneIsAMissThatLeavesNothing) {
  write("a.h", "A");
  compile(lower_, reads("a.h"), "object A");
  lower_.blobs.erase(digest_of("object A"));
  EXPECT_EQ(look_up(own_), "miss");
  EXPECT_TRUE(own_.actions.empty());
}

TEST_F(ActionLayers, WhatCannotBeReadBelowIsAMiss) {
  write("a.h", "A");
  compile(lower_, reads("a.h"), "object A");
  for (auto& [key, value] : lower_.actions) value = "no value of this version";
  EXPECT_EQ(look_up(own_), "miss");
}

TEST_F(ActionLayers, AStoreBelowThatIsInTroubleIsAMissAndTakesNothingFromOurOwn) {
  write("a.h", "A");
  compile(own_, reads("a.h"), "ours");
  lower_.broken = true;
  EXPECT_EQ(look_up(own_), "ours");
  write("a.h", "another A");
  EXPECT_EQ(look_up(own_), "miss");
  write("a.h", "A");
  EXPECT_EQ(look_up(own_), "ours");
}

}  // namespace
}  // namespace hipcache::cache
