// Blobs stored as what they do not share with others.
#include <atomic>
#include <thread>
#include <vector>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

class LikenessTest : public StoreTest {
 protected:
  static std::string numbered(int i) { return "unit " + std::to_string(i) + "\n" + noise(7, 20 * kKiB); }

  Digest put_of(const std::string& bytes, std::vector<Digest> parts) {
    const auto put = store_->put_blob_like(bytes, {.parts = std::move(parts)});
    EXPECT_TRUE(put) << put.error().message;
    return put ? *put : Digest{};
  }
  Digest put_in(std::string_view family, const std::string& bytes) {
    const auto put = store_->put_blob_like(bytes, {.parts = {}, .family = family});
    EXPECT_TRUE(put) << put.error().message;
    return put ? *put : Digest{};
  }
  // Whether the lease holds it now.
  bool held(const Digest& digest, Lease& lease) {
    const auto there = store_->hold_blob(digest, lease);
    EXPECT_TRUE(there) << there.error().message;
    return there && *there;
  }
  std::uint64_t bytes() { return store_->usage().bytes; }

  // A fatbin of two code objects, and an object of a host's and the fatbin.
  void put_object() {
    codes_ = {put_blob(noise(1, 50 * kKiB)), put_blob(noise(2, 60 * kKiB))};
    host_ = put_blob(host_bytes());
    fatbin_ = put_of(fatbin_bytes(), codes_);
    object_ = put_of(object_bytes(), {host_, fatbin_});
  }
  static std::string fatbin_bytes() {
    return "bundle" + std::string(4090, '\0') + noise(1, 50 * kKiB) + noise(2, 60 * kKiB);
  }
  static std::string host_bytes() { return noise(3, 30 * kKiB); }
  static std::string object_bytes() {
    return host_bytes().substr(0, 9000) + fatbin_bytes() + host_bytes().substr(9000);
  }

  std::vector<Digest> codes_;
  Digest host_, fatbin_, object_;
};

TEST_F(LikenessTest, StoresAnObjectAsWhereItsPartsAre) {
  open();
  put_object();
  EXPECT_LT(bytes(), (50 + 60 + 30) * kKiB + 1000);
  for (const bool reopened : {false, true}) {
    if (reopened) open();
    EXPECT_EQ(blob(object_), object_bytes());
    EXPECT_EQ(blob(fatbin_), fatbin_bytes());
    EXPECT_EQ(store_->usage().blobs, 5u);
  }
}

TEST_F(LikenessTest, StoresWholeWhatIsNotLikeItsParts) {
  open();
  put_object();
  const std::uint64_t before = bytes();
  const Digest other = put_of(noise(9, 40 * kKiB), {host_, fatbin_});
  EXPECT_GE(bytes(), before + 40 * kKiB);
  ASSERT_TRUE(store_->clear());
  EXPECT_FALSE(blob(other));
}

TEST_F(LikenessTest, StoresWholeWhatHasPartsThatAreNotThere) {
  open();
  const Digest object = put_of(object_bytes(), {digest_of("never put"), digest_of(fatbin_bytes())});
  EXPECT_EQ(blob(object), object_bytes());
}

TEST_F(LikenessTest, HoldsThePartsOfWhatIsHeld) {
  open();
  put_object();
  auto lease = store_->lease();
  ASSERT_TRUE(held(object_, *lease));
  ASSERT_TRUE(store_->clear());
  EXPECT_EQ(store_->usage().blobs, 5u);
  EXPECT_EQ(blob(object_), object_bytes());
  lease.reset();
  ASSERT_TRUE(store_->clear());
  EXPECT_EQ(store_->usage().blobs, 0u);
}

TEST_F(LikenessTest, UsesThePartsOfWhatIsUsed) {
  open();
  put_object();
  for (std::uint64_t i = 0; i < 40; ++i) put_blob(noise(100 + i, 100 * kKiB));
  EXPECT_TRUE(blob(object_));
  ASSERT_TRUE(store_->shrink_to(2 * kMiB));
  EXPECT_LT(store_->usage().blobs, 25u);
  EXPECT_EQ(blob(object_), object_bytes());
}

TEST_F(LikenessTest, ForgetsWhatHasLostAPartAndTakesItAgain) {
  open();
  put_object();
  auto lease = store_->lease();
  lease->add(object_);
  lease->add(fatbin_);
  ASSERT_TRUE(store_->clear());
  ASSERT_EQ(store_->usage().blobs, 2u);
  EXPECT_FALSE(held(object_, *lease));
  EXPECT_FALSE(blob(fatbin_));
  EXPECT_EQ(store_->usage().blobs, 0u);
  EXPECT_EQ(store_->usage().corrupt, 0u) << "nothing is damaged";
  EXPECT_EQ(log_text(), "");
  put_object();
  EXPECT_EQ(blob(object_), object_bytes());
}

TEST_F(LikenessTest, OfAFamilyIsStoredAsTheDifferenceFromItsFirst) {
  open();
  std::vector<Digest> digests;
  for (int i = 0; i < 10; ++i) digests.push_back(put_in("numbered", numbered(i)));
  EXPECT_LT(bytes(), 22 * kKiB);
  for (const bool reopened : {false, true}) {
    if (reopened) open();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(blob(digests[static_cast<std::size_t>(i)]), numbered(i));
  }
}

TEST_F(LikenessTest, OfAFamilyIsRememberedByTheNextToOpen) {
  open();
  put_in("numbered", numbered(0));
  open();
  put_in("numbered", numbered(1));
  EXPECT_LT(bytes(), 22 * kKiB);
}

TEST_F(LikenessTest, OfAFamilyOfSeveralKindsFindsItsOwnKind) {
  open();
  for (int i = 0; i < 5; ++i)
    for (std::uint64_t kind = 0; kind < 3; ++kind) put_in("mixed", std::to_string(i) + noise(kind, 20 * kKiB));
  EXPECT_LT(bytes(), 3 * 21 * kKiB);
}

TEST_F(LikenessTest, OfAFamilyWhoseBasesWereEvictedBeginsAnew) {
  open();
  put_in("numbered", numbered(0));
  ASSERT_TRUE(store_->clear());
  const Digest digest = put_in("numbered", numbered(1));
  EXPECT_EQ(blob(digest), numbered(1));
  open();
  EXPECT_EQ(blob(digest), numbered(1));
}

TEST_F(LikenessTest, KeepsTheBaseOfAFamilyAsLongAsOneOfItIsUsed) {
  open();
  put_in("numbered", numbered(0));
  const Digest second = put_in("numbered", numbered(1));
  for (std::uint64_t i = 0; i < 40; ++i) put_blob(noise(100 + i, 100 * kKiB));
  EXPECT_TRUE(blob(second));
  ASSERT_TRUE(store_->shrink_to(2 * kMiB));
  open();
  EXPECT_EQ(blob(second), numbered(1));
}

// What is evicted between two calls is gone, and nothing else: never other bytes.
TEST_F(LikenessTest, ServesManyThreadsWhileAllIsEvicted) {
  open();
  std::atomic<int> wrong = 0;
  const auto expect = [&](const Result<Digest>& put, const std::string& bytes) {
    if (!put) return void(++wrong);
    const auto got = store_->blob(*put);
    if (!got || (*got && **got != bytes)) ++wrong;
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 30; ++i) {
        const std::string member = numbered(i * (thread + 1));
        expect(store_->put_blob_like(member, {.parts = {}, .family = "numbered"}), member);
        const auto host = store_->put_blob(host_bytes());
        const auto fatbin = store_->put_blob_like(fatbin_bytes(), {.parts = codes_});
        if (!host || !fatbin) ++wrong;
        expect(store_->put_blob_like(object_bytes(), {.parts = {*host, *fatbin}}), object_bytes());
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 10; ++i)
      if (!store_->clear()) ++wrong;
  });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(store_->usage().corrupt, 0u) << log_text();
}

TEST_F(LikenessTest, PutsEqualBytesOnceWhateverTheyAreLike) {
  open();
  put_object();
  const std::uint64_t before = bytes();
  put_blob(object_bytes());
  put_in("numbered", object_bytes());
  EXPECT_EQ(bytes(), before);
}

}  // namespace
}  // namespace hipcache::store
