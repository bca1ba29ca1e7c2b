// Blobs as files of memory: the same bytes, and damage is seen as well.
#include <gtest/gtest.h>

#include "store/blob_value.h"
#include "store_fixture.h"

namespace hipcache::store {
namespace {

class BlobFileTest : public StoreTest {
 protected:
  void SetUp() override { open(); }

  std::optional<std::string> file_of(const Digest& digest) {
    const auto file = store_->blob_file(digest);
    EXPECT_TRUE(file) << file.error().message;
    if (!file || !*file) return std::nullopt;
    const auto bytes = read_file("/proc/self/fd/" + std::to_string((*file)->get()), 64 * kMiB);
    EXPECT_TRUE(bytes);
    return bytes ? std::optional(*bytes) : std::nullopt;
  }
};

TEST_F(BlobFileTest, HasTheBytesOfAnyBlobBeforeAndAfterItIsInABlobFile) {
  const std::string like = noise(1, 3 * kMiB);
  const std::vector<std::string> blobs = {
      "", "small", noise(2, 100 * kKiB), noise(3, 5 * kMiB), std::string(5 * kMiB, 'x'), like};
  for (const std::string& bytes : blobs) put_blob(bytes);
  const std::string with_part = "before" + like + "after";
  ASSERT_TRUE(store_->put_blob_like(with_part, {.parts = {digest_of(like)}}));
  for (int time = 0; time < 2; ++time) {
    for (const std::string& bytes : blobs) EXPECT_TRUE(file_of(digest_of(bytes)) == bytes) << bytes.size();
    EXPECT_TRUE(file_of(digest_of(with_part)) == with_part);
    open();
  }
}

TEST_F(BlobFileTest, IsNoneOfABlobThatIsNotThere) { EXPECT_EQ(file_of(digest_of("nowhere")), std::nullopt); }

TEST_F(BlobFileTest, IsNoneOfABlobWithOtherBytesWhichIsDropped) {
  const std::string bytes = noise(1, kMiB);
  const Digest digest = put_blob(bytes);
  const std::string other = noise(2, kMiB);
  const std::string value = pack(digest_of(other), other);
  close();
  {
    const OpenAttempt attempt = open_database(false);
    ASSERT_TRUE(attempt.database) << attempt.problem;
    const std::string key = digest.bytes();
    ASSERT_TRUE(attempt.database->write({{Table::blobs, key, value}}));
  }
  open();
  EXPECT_EQ(file_of(digest), std::nullopt);
  EXPECT_EQ(store_->usage().corrupt, 1u);
  put_blob(bytes);
  EXPECT_TRUE(file_of(digest) == bytes);
}

}  // namespace
}  // namespace hipcache::store
