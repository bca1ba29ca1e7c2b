// Digests that a later daemon takes over: which files it then reads, and which digests it does not trust.
#include "inputs/state/digests.h"

#include "inputs/state_fixture.h"

namespace hipcache::inputs {
namespace {

constexpr const char* kOrigin = "a boot, a view";

class KeptDigests : public StateFixture {
 protected:
  std::string learned(const std::string& path) {
    let_stamps_settle();
    EXPECT_TRUE(file_system_.content(path));
    return file_system_.digests(kOrigin);
  }

  // How many bytes of the file a state that took the digests over reads.
  std::uint64_t read_by_another(const std::string& bytes, const std::string& path, const char* origin = kOrigin) {
    FileSystemState another([this] { return now_.load(); });
    [[maybe_unused]] const Status taken = another.take_digests(bytes, origin);
    Effort effort;
    EXPECT_EQ(another.content(path, &effort).value(), digest_of(support::read_bytes(path)));
    return effort.bytes_read;
  }
};

KnownFile known(std::uint64_t inode, std::uint64_t size) {
  return {Stamp{.device = 1, .inode = inode, .size = size, .mtime_ns = -1, .ctime_ns = 1'500'000'001, .mount = 3},
          digest_of(std::to_string(inode))};
}

TEST_F(KeptDigests, SpareTheNextWorldTheReading) {
  const std::string path = write("file", "content");
  const std::string bytes = learned(path);
  EXPECT_EQ(read_by_another(bytes, path), 0);
  EXPECT_EQ(read_by_another("", path), 7);
}

TEST_F(KeptDigests, HoldForNoFileThatChangedBehindItsSizeAndTime) {
  const std::string path = write("file", "content");
  const std::string bytes = learned(path);
  const auto time = std::filesystem::last_write_time(path);
  write("file", "CONTENT");
  std::filesystem::last_write_time(path, time);
  let_stamps_settle();
  EXPECT_EQ(read_by_another(bytes, path), 7);
}

TEST_F(KeptDigests, HoldForNoOtherBootOrView) {
  const std::string path = write("file", "content");
  EXPECT_EQ(read_by_another(learned(path), path, "another boot, a view"), 7);
}

TEST_F(KeptDigests, AreNotLearnedOfAFileThatWasJustWritten) {
  const std::string path = write("file", "content");
  make_stamps_fresh();
  EXPECT_TRUE(file_system_.content(path));
  EXPECT_EQ(read_by_another(file_system_.digests(kOrigin), path), 7);
}

TEST_F(KeptDigests, CountWhatWasLearnedAndNotWhatWasTakenUp) {
  const std::string path = write("file", "content");
  EXPECT_EQ(file_system_.learned_digests(), 0);
  const std::string bytes = learned(path);
  EXPECT_EQ(file_system_.learned_digests(), 1);
  learned(path);
  EXPECT_EQ(file_system_.learned_digests(), 1);
  FileSystemState another([this] { return now_.load(); });
  EXPECT_TRUE(another.take_digests(bytes, kOrigin));
  EXPECT_EQ(another.learned_digests(), 0);
}

TEST(EncodedDigests, ComeBackAsTheyWere) {
  const auto decoded = decode_digests(encode_digests({known(7, 8)}, kOrigin), kOrigin);
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->size(), 1);
  EXPECT_EQ(decoded->front().stamp, known(7, 8).stamp);
  EXPECT_EQ(decoded->front().digest, known(7, 8).digest);
}

TEST(EncodedDigests, AreDroppedWhereTheyAreDamagedOrCutOff) {
  const std::string bytes = encode_digests({known(7, 8), known(9, 10)}, kOrigin);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(decode_digests(damaged, kOrigin)) << i;
    EXPECT_FALSE(decode_digests(bytes.substr(0, i), kOrigin)) << i;
  }
  EXPECT_FALSE(decode_digests(bytes + bytes, kOrigin));
}

TEST(EncodedDigests, AreThoseOfTheLargestFilesWhereThereAreTooMany) {
  std::vector<KnownFile> all;
  for (std::uint64_t i = 0; i < kMostKeptDigests + 10; ++i) all.push_back(known(i, i));
  const std::string bytes = encode_digests(all, kOrigin);
  EXPECT_LT(bytes.size(), 2u << 20);
  const auto decoded = decode_digests(bytes, kOrigin);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->size(), kMostKeptDigests);
  for (const KnownFile& one : *decoded) EXPECT_GE(one.stamp.size, 10);
}

}  // namespace
}  // namespace hipcache::inputs
