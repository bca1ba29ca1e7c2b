// An audit drops a result in the moment in which another request writes that result back: it stays dropped.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <thread>
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

const std::string kBytes = "the bytes of an object";

// Calls back once, where a result was read and not yet written: before its object's blob is held, or a path set is put.
class Interrupted : public support::MemoryStore {
 public:
  std::function<void()> before_holding, before_blob;
  support::MemoryStore* below = nullptr;

  Result<bool> hold_blobs(std::span<const Digest> digests, store::Lease& lease) override {
    const bool is_object = std::find(digests.begin(), digests.end(), digest_of(kBytes)) != digests.end();
    if (is_object && before_holding) std::exchange(before_holding, nullptr)();
    return MemoryStore::hold_blobs(digests, lease);
  }
  Result<Digest> put_blob_like(std::string_view bytes, const store::Likeness& likeness) override {
    if (before_blob) std::exchange(before_blob, nullptr)();
    return MemoryStore::put_blob_like(bytes, likeness);
  }
  std::vector<std::shared_ptr<store::ReadableStore>> lower() override {
    if (below == nullptr) return {};
    return {{std::shared_ptr<void>(), below}};  // not owned
  }
};

// A shared cache with one result.
class OneResult : public RemoteResults {
 public:
  explicit OneResult(Publication has) : has_(std::move(has)) {}
  std::vector<std::shared_ptr<const RemoteList>> lists(std::span<const ListName> names) override {
    RemoteList list;
    list.asked = 1;
    list.sets.push_back({has_.path_set->id(), has_.path_set->encode(), {remote_tag(has_.result_key)}});
    std::vector<std::shared_ptr<const RemoteList>> lists(names.size());
    if (names.front().skip == 0) lists.front() = std::make_shared<const RemoteList>(std::move(list));
    return lists;
  }
  std::vector<std::optional<RemoteResult>> results(std::span<const Digest>) override {
    return {RemoteResult{.tier = "tier", .action = has_.action, .blobs = {{digest_of(kBytes), kBytes}}}};
  }
  std::vector<std::optional<std::string>> blobs(std::span<const RemoteBlobName> names) override {
    return std::vector<std::optional<std::string>>(names.size());
  }
  void publish(Publication) override {}

 private:
  Publication has_;
};

class DroppedWhileWritten : public testing::Test {
 protected:
  ActionResult result(std::uint64_t duration = 1) const {
    return {.outputs = {{.name = "object", .blob = digest_of(kBytes), .size = kBytes.size()}},
            .stdout_text = "",
            .stderr_text = "",
            .duration_us = duration,
            .steps = {}};
  }
  // As a version before exports stored it: without what it is found by.
  void put_earlier(store::LocalStore& store) const {
    ASSERT_TRUE(store.put_blob(kBytes));
    ASSERT_TRUE(store.put_action(place_, result().encode()));
    ASSERT_TRUE(store.add_path_set(key_.value, {set_->id(), *store.put_blob(set_->encode())}));
  }
  Hit hit() const { return {result(), set_, state_}; }
  std::optional<Hit> look_up(ActionCache& cache, store::LocalStore& store) const {
    const auto lease = store.lease();
    return cache.look_up(key_, any_result, from_, *lease);
  }
  std::function<void()> audit(ActionCache& cache) {
    return [&] { EXPECT_TRUE(cache.drop(key_, hit())); };
  }
  void expect_dropped(ActionCache& cache) {
    EXPECT_EQ(store_.actions.at(place_), dropped_mark());
    EXPECT_FALSE(look_up(cache, store_));
  }

  support::Scratch scratch_;
  Interrupted store_;
  inputs::FileSystemState file_system_;
  Log log_;
  const inputs::RunContext from_{scratch_.path(), {}};
  const ActionKey key_{digest_of("key")};
  const std::shared_ptr<const PathSet> set_ =
      std::make_shared<const PathSet>(PathSet({{Question::content, scratch_.write("a.h", "A")}}));
  const Digest state_ = file_system_.state(*set_, from_);
  const Digest place_ = result_key(key_, set_->id(), state_);
};

TEST_F(DroppedWhileWritten, WithWhatItIsFoundBy) {
  put_earlier(store_);
  ActionCache cache(store_, file_system_, log_);
  store_.before_holding = audit(cache);
  EXPECT_TRUE(look_up(cache, store_)) << "it was read before";
  expect_dropped(cache);
}

TEST_F(DroppedWhileWritten, AndReplacedByARunLeavesTheNewOne) {
  put_earlier(store_);
  ActionCache cache(store_, file_system_, log_);
  store_.before_holding = [&] {
    EXPECT_TRUE(cache.drop(key_, hit()));
    EXPECT_TRUE(cache.record(key_, hit().witnessed(), result(2)));
  };
  EXPECT_TRUE(look_up(cache, store_));
  const std::optional<Hit> now = look_up(cache, store_);
  ASSERT_TRUE(now);
  EXPECT_EQ(now->result.duration_us, 2u);
}

TEST_F(DroppedWhileWritten, FromAStoreBelow) {
  support::MemoryStore below;
  put_earlier(below);
  store_.below = &below;
  ActionCache cache(store_, file_system_, log_);
  ASSERT_TRUE(store_.put_blob(kBytes));
  ASSERT_TRUE(store_.put_blob(set_->encode()));
  store_.before_holding = audit(cache);
  EXPECT_TRUE(look_up(cache, store_));
  expect_dropped(cache);
}

TEST_F(DroppedWhileWritten, FromASharedCache) {
  OneResult shared(publication_of(key_.value, place_, set_, result()));
  ActionCache cache(store_, file_system_, log_, &shared);
  store_.before_holding = audit(cache);
  EXPECT_FALSE(look_up(cache, store_));
  expect_dropped(cache);
}

TEST_F(DroppedWhileWritten, FromAnArchive) {
  ASSERT_TRUE(store_.put_blob(kBytes));
  ActionCache cache(store_, file_system_, log_);
  const auto lease = store_.lease();
  const std::string questions = set_->encode(), action = result().encode();
  store_.before_holding = audit(cache);
  EXPECT_EQ(*accept({key_.value, place_, set_->id(), questions, action}, std::nullopt, store_, *lease),
            Accepted::refused);
  expect_dropped(cache);
}

TEST_F(DroppedWhileWritten, ByACallerThatReplacesItsHit) {
  put_earlier(store_);
  ActionCache cache(store_, file_system_, log_);
  const std::optional<Hit> found = look_up(cache, store_);
  ASSERT_TRUE(found);
  store_.before_blob = audit(cache);
  EXPECT_TRUE(cache.replace(key_, *found, result(2)));
  expect_dropped(cache);
}

TEST_F(DroppedWhileWritten, OrReplacedIsNotReplacedByACallerWithAnEarlierHit) {
  put_earlier(store_);
  ActionCache cache(store_, file_system_, log_);
  const std::optional<Hit> found = look_up(cache, store_);
  ASSERT_TRUE(found);
  EXPECT_TRUE(cache.replace(key_, *found, result(2)));
  EXPECT_EQ(look_up(cache, store_)->result.duration_us, 2u) << "it is still the one that was found";
  EXPECT_TRUE(cache.replace(key_, *found, result(3)));
  EXPECT_EQ(look_up(cache, store_)->result.duration_us, 2u) << "it is no longer";
}

// Two threads and a real store: whichever comes first, the mark is what remains.
TEST_F(DroppedWhileWritten, ByTwoThreadsInARealStore) {
  constexpr int kRepeats = 1000;
  const auto store = store::open_store({.directory = scratch_ / "store"}, log_);
  ASSERT_TRUE(store);
  ActionCache cache(**store, file_system_, log_);
  std::barrier begin(2), end(2);
  std::atomic<int> drops = -1;  // the repeat whose drop is under way
  std::thread auditor([&] {
    for (int i = 0; i < kRepeats; ++i) {
      begin.arrive_and_wait();
      drops = i;
      drops.notify_one();
      EXPECT_TRUE(cache.drop(key_, hit()));
      end.arrive_and_wait();
    }
  });
  int found_again = 0;
  for (int i = 0; i < kRepeats; ++i) {
    put_earlier(**store);
    const auto lease = (*store)->lease();
    const Suffices read = [&](const ActionResult&) {  // and not yet written
      begin.arrive_and_wait();
      drops.wait(i - 1);
      return true;
    };
    EXPECT_TRUE(cache.look_up(key_, read, from_, *lease));
    end.arrive_and_wait();
    if (look_up(cache, **store)) ++found_again;
  }
  auditor.join();
  EXPECT_EQ(found_again, 0);
}

}  // namespace
}  // namespace hipcache::cache
