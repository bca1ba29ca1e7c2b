// A store that is used while it is still being read what is in it: every answer is as if it had been read before.
#include "store/maintenance.h"

#include <gmock/gmock.h>

#include <thread>
#include <vector>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

class LoadingTest : public StoreTest {
 protected:
  static constexpr int kEntries = 4'000;

  static std::string name_of(int i) { return "action " + std::to_string(i); }
  static std::string bytes_of(int i) { return "blob " + std::to_string(i); }

  void SetUp() override {
    open();
    for (int i = 0; i < kEntries; ++i) put_action(name_of(i), "value");
    for (int i = 0; i < kEntries; ++i) put_blob(bytes_of(i));
    total_bytes_ = store_->usage().bytes;
  }

  // Comes back before anything is read.
  void open_loading() {
    close();
    auto opened = open_store_with(options_, *log_, [ticks = ticks_] { return ++*ticks; }, 0);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }

  std::uint64_t total_bytes_ = 0;
};

TEST_F(LoadingTest, FindsWhatWasNotReadYet) {
  open_loading();
  // From the end: it is read from the beginning.
  for (int i = kEntries - 1; i >= 0; i -= 10) {
    EXPECT_EQ(action(name_of(i)), "value");
    EXPECT_EQ(blob(digest_of(bytes_of(i))), bytes_of(i));
    const auto there = store_->hold_blob(digest_of(bytes_of(i)), *store_->lease());
    EXPECT_TRUE(there && *there);
  }
  EXPECT_EQ(action("no such action"), std::nullopt);
  const auto absent = store_->hold_blob(digest_of("no such blob"), *store_->lease());
  EXPECT_TRUE(absent && !*absent);
}

TEST_F(LoadingTest, CountsEveryEntryOnce) {
  open_loading();
  for (int i = kEntries - 1; i >= 0; i -= 20) {
    action(name_of(i));
    put_action(name_of(i), "longer value");
    put_blob(bytes_of(i));
    put_blob("new " + bytes_of(i));
  }
  const Usage usage = store_->usage();
  EXPECT_EQ(usage.actions, kEntries);
  EXPECT_EQ(usage.blobs, kEntries + kEntries / 20);
  EXPECT_GT(usage.bytes, total_bytes_);
}

TEST_F(LoadingTest, ClearsEverything) {
  open_loading();
  ASSERT_TRUE(store_->clear());
  const Usage usage = store_->usage();
  EXPECT_EQ(usage.actions + usage.blobs + usage.bytes, 0u);
  EXPECT_EQ(blob(digest_of(bytes_of(kEntries - 1))), std::nullopt);
}

TEST_F(LoadingTest, EndsAtOnceWhenItIsClosed) {
  for (int time = 0; time < 5; ++time) open_loading();
  EXPECT_EQ(action(name_of(kEntries - 1)), "value");
}

TEST_F(LoadingTest, IsUsedByManyThreadsAtOnce) {
  open_loading();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([this, thread] {
      for (int i = kEntries - 1 - thread; i >= 0; i -= 8) {
        EXPECT_EQ(action(name_of(i)), "value");
        EXPECT_EQ(put_blob(bytes_of(i)), digest_of(bytes_of(i)));
        EXPECT_EQ(blob(digest_of(bytes_of(i))), bytes_of(i));
      }
    });
  for (std::thread& thread : threads) thread.join();
  const Usage usage = store_->usage();
  EXPECT_EQ(usage.actions, kEntries);
  EXPECT_EQ(usage.blobs, kEntries);
  EXPECT_EQ(usage.bytes, total_bytes_);
}

// Before it would have been set aside at once; now it has been opened when that is found.
TEST_F(LoadingTest, SetsADatabaseWithAMalformedRecordAsideTheNextTime) {
  close();
  {
    const OpenAttempt attempt = open_database(false);
    ASSERT_TRUE(attempt.database) << attempt.problem;
    ASSERT_TRUE(attempt.database->write({{Table::uses, "no key", "no use"}}));
  }
  open_loading();
  store_->usage();
  close();
  EXPECT_THAT(log_text(), testing::HasSubstr("malformed"));
  open();
  EXPECT_THAT(log_text(), testing::HasSubstr("set aside"));
  EXPECT_EQ(store_->usage().actions, 0u);
}

class IncompleteRecency : public ::testing::Test {
 protected:
  static UseKey key(const char* name) { return {Table::blobs, digest_of(name)}; }
  Recency recency_{[] { return 100u; }};
};

TEST_F(IncompleteRecency, KeepsWhatIsNewerThanWhatIsRead) {
  recency_.set(key("a"), {50, 7});
  recency_.load_older({{key("a"), {10, 3}}, {key("b"), {20, 5}}});
  EXPECT_EQ(recency_.totals().blobs, 2u);
  EXPECT_EQ(recency_.totals().bytes, 12u);
}

TEST_F(IncompleteRecency, DoesNotBringBackWhatWasErased) {
  EXPECT_TRUE(recency_.adopt(key("a"), {10, 3}));
  EXPECT_TRUE(recency_.erase(key("a")));
  recency_.load_older({{key("a"), {10, 3}}});
  EXPECT_FALSE(recency_.adopt(key("a"), {10, 3}));
  EXPECT_FALSE(recency_.find(key("a")));
  recency_.set(key("a"), {50, 7});
  EXPECT_TRUE(recency_.find(key("a")));
}

TEST_F(IncompleteRecency, IsWaitedForUntilItIsComplete) {
  EXPECT_FALSE(recency_.wait_until_complete(std::chrono::milliseconds(0)));
  std::thread loader([&] { recency_.complete(); });
  EXPECT_TRUE(recency_.wait_until_complete(std::chrono::minutes(1)));
  EXPECT_TRUE(recency_.is_complete());
  loader.join();
}

}  // namespace
}  // namespace hipcache::store
