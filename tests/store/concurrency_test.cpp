#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "store/blob_value.h"
#include "store/framing.h"
#include "store/maintenance.h"
#include "store/value_table.h"
#include "store_fixture.h"

namespace hipcache::store {
namespace {

// Threads that put, get, evict and ask at once: what comes back is right or absent, and the counts agree in the end.
TEST_F(StoreTest, ServesManyThreadsThatPutGetAndEvictAtOnce) {
  options_.max_bytes = 3 * kMiB;
  open();
  constexpr std::uint64_t kBlobs = 40;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      auto lease = store_->lease();
      for (std::uint64_t i = 0; i < 120; ++i) {
        const std::uint64_t seed = (i * (thread + 1)) % kBlobs;
        const std::string bytes = noise(seed, 50 * kKiB);
        const auto put = store_->put_blob(bytes);
        if (!put || *put != digest_of(bytes)) ++wrong;
        const auto got = store_->blob(digest_of(bytes));
        if (!got || (*got && **got != bytes)) ++wrong;
        if (!store_->put_action(key_of("action " + std::to_string(seed)), bytes.substr(0, 100 + seed))) ++wrong;
        const auto action = store_->action(key_of("action " + std::to_string(seed)));
        if (!action || (*action && **action != bytes.substr(0, 100 + seed))) ++wrong;
        if (i % 16 == thread) lease->add(digest_of(bytes));
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 10; ++i) {
      if (!store_->shrink_to(kMiB)) ++wrong;
      if (store_->usage().blobs > kBlobs) ++wrong;
    }
  });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(store_->usage().corrupt, 0u);

  options_.max_bytes = 0;
  open();
  const Usage usage = store_->usage();
  std::uint64_t blobs = 0, actions = 0, bytes = 0;
  for (std::uint64_t seed = 0; seed < kBlobs; ++seed) {
    const Digest digest = digest_of(noise(seed, 50 * kKiB));
    if (const auto found = blob(digest)) ++blobs, bytes += pack(digest, *found).size();
    const std::string name = "action " + std::to_string(seed);
    if (const auto found = action(name)) ++actions, bytes += frame_action(key_of(name), *found).size();
  }
  EXPECT_EQ(usage.blobs, blobs);
  EXPECT_EQ(usage.actions, actions);
  EXPECT_EQ(usage.bytes, bytes);
}

TEST_F(StoreTest, KeepsWhatAThreadLeasedBeforeItAskedForIt) {
  open();
  const std::string bytes = noise(1, 20 * kKiB);
  std::atomic<bool> finished = false;
  std::thread evictor([&] {
    while (!finished) EXPECT_TRUE(store_->shrink_to(0));
  });
  for (int i = 0; i < 60; ++i) {
    put_blob(bytes);
    const auto lease = store_->lease();
    lease->add(digest_of(bytes));
    const auto has = store_->hold_blob(digest_of(bytes), *store_->lease());
    EXPECT_TRUE(has);
    if (has && *has) {
      EXPECT_EQ(blob(digest_of(bytes)), bytes);
    }
  }
  finished = true;
  evictor.join();
}

// Writers that read a value, change it and write it back replace nothing that came meanwhile.
class PutIf : public StoreTest {
 protected:
  bool put_if(std::string_view name, std::string_view value, const MayReplace& may) {
    const Result<bool> put = store_->put_action_if(key_of(name), value, may);
    EXPECT_TRUE(put) << put.error().message;
    return put && *put;
  }
};

TEST_F(PutIf, AsksAboutWhatIsThere) {
  open();
  std::optional<std::string> seen = "not asked";
  const auto refuses = [&](const std::optional<std::string>& present) {
    seen = present;
    return false;
  };
  const auto allows = [&](const std::optional<std::string>& present) {
    seen = present;
    return true;
  };
  EXPECT_FALSE(put_if("a", "first", refuses));
  EXPECT_EQ(seen, std::nullopt);
  EXPECT_EQ(action("a"), std::nullopt);
  EXPECT_TRUE(put_if("a", "first", allows));
  EXPECT_EQ(seen, std::nullopt);
  EXPECT_FALSE(put_if("a", "second", refuses));
  EXPECT_EQ(seen, "first");
  EXPECT_EQ(action("a"), "first");
  EXPECT_TRUE(put_if("a", "second", allows));
  EXPECT_EQ(action("a"), "second");
  open();
  EXPECT_EQ(action("a"), "second");
}

// Every increment counts only if no two writers replace the same number.
TEST_F(PutIf, LosesNoWriteOfManyThreads) {
  open();
  constexpr int kWriters = 4, kIncrements = 300, kNames = 3;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kIncrements; ++i) {
        const Digest key = key_of("number " + std::to_string((i + writer) % kNames));
        for (bool is_put = false; !is_put;) {
          const std::optional<std::string> before = store_->action(key).value();
          const Result<bool> put =
              store_->put_action_if(key, std::to_string(before ? std::stoi(*before) + 1 : 1),
                                    [&](const std::optional<std::string>& present) { return present == before; });
          ASSERT_TRUE(put);
          is_put = *put;
        }
      }
    });
  for (std::thread& writer : writers) writer.join();
  int sum = 0;
  for (int name = 0; name < kNames; ++name) sum += std::stoi(action("number " + std::to_string(name)).value_or("0"));
  EXPECT_EQ(sum, kWriters * kIncrements);
}

// A mark is put without a condition, while another thread writes back what it read.
TEST_F(PutIf, LeavesWhatWasPutWithoutACondition) {
  open();
  constexpr int kRepeats = 1000;
  int lost = 0;
  std::barrier begin(2), end(2);
  std::atomic<int> marks = -1;  // the repeat whose mark is under way
  std::thread marker([&] {
    for (int i = 0; i < kRepeats; ++i) {
      begin.arrive_and_wait();
      marks = i;
      marks.notify_one();
      EXPECT_TRUE(store_->put_action(key_of("a"), "mark"));
      end.arrive_and_wait();
    }
  });
  for (int i = 0; i < kRepeats; ++i) {
    put_action("a", "old");
    const std::optional<std::string> read = action("a");
    begin.arrive_and_wait();
    marks.wait(i - 1);
    put_if("a", "old, and more", [&](const std::optional<std::string>& present) { return present == read; });
    end.arrive_and_wait();
    if (action("a") != "mark") ++lost;
  }
  marker.join();
  EXPECT_EQ(lost, 0);
}

// The table of an open database, below actions and blobs.
class RemovedValues : public StoreTest {
 protected:
  RemovedValues() {
    open();
    close();
    const auto ours = std::make_shared<const OwnDirectory>(version_opened());
    state_ = std::make_unique<StoreState>(Directories{ours, ours}, *log_, open_database(false).database,
                                          [ticks = ticks_] { return ++*ticks; });
    state_->recency.complete();
  }

  std::unique_ptr<StoreState> state_;
};

TEST_F(RemovedValues, StayIfAnotherValueCameMeanwhile) {
  Eviction eviction(*state_);
  Maintenance maintenance(*state_, eviction, 0);
  ValueTable values(*state_, maintenance);
  const UseKey key{Table::actions, key_of("a")};
  ASSERT_TRUE(values.put(key, "damaged"));
  ASSERT_TRUE(values.put(key, "good"));
  values.drop(key, "damaged", "the bytes that another thread read");
  EXPECT_EQ(*values.get(key), "good");
  values.forget(key, "damaged");
  EXPECT_EQ(*values.get(key), "good");
  EXPECT_EQ(values.dropped(), 1u);
  values.forget(key, "good");
  EXPECT_EQ(*values.get(key), std::nullopt);
  EXPECT_FALSE(state_->recency.find(key));
}

}  // namespace
}  // namespace hipcache::store
