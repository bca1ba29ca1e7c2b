#include <thread>
#include <vector>

#include "store/local/blob_value.h"
#include "store/local/database/framing.h"
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

}  // namespace
}  // namespace hipcache::store
