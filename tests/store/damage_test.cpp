// A real database, every kind of its files damaged at many places. Whatever happens, the store opens, nobody crashes,
// and what is returned for a key is what was stored under it, or nothing.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// A database with all its kinds of files: tables and blob files of several sizes, and a write-ahead log, as a crash
// leaves them.
class DamageTest : public StoreTest {
 protected:
  static constexpr int kActions = 40;
  static constexpr int kSmallBlobs = 20;
  static constexpr int kLargeBlobs = 12;

  static std::string action_name(int i) { return "action " + std::to_string(i); }
  static std::string action_value(int i) { return noise(static_cast<std::uint64_t>(1000 + i), 300); }
  static std::string blob_value(int i) { return noise(static_cast<std::uint64_t>(i), i < kSmallBlobs ? 700u : 30000u); }

  void SetUp() override {
    open();
    put_half(0);
    open();  // closing has put the first half into tables and blob files
    put_half(1);
    whole_ = join_path(root_, "whole");
    copy(options_.directory, whole_);  // the second half is in the write-ahead log
    close();
  }

  void put_half(int half) {
    for (int i = half; i < kActions; i += 2) put_action(action_name(i), action_value(i));
    for (int i = half; i < kSmallBlobs + kLargeBlobs; i += 2) put_blob(blob_value(i));
    ASSERT_TRUE(store_->put_note("note " + std::to_string(half), "noted"));
  }

  static void copy(const std::string& from, const std::string& to) {
    ASSERT_EQ(system(("cp -r '" + from + "' '" + to + "'").c_str()), 0);
  }

  // Puts the whole database back, with a fresh log.
  void restore() {
    close();
    ASSERT_TRUE(remove_tree(options_.directory));
    copy(whole_, options_.directory);
    log_.reset();
    ASSERT_TRUE(remove_tree(log_path()));
    log_ = std::make_unique<Log>(log_path());
  }

  std::vector<std::string> files_like(std::string_view kind) {
    auto names = list_directory(join_path(whole_, version_directory() + "/db"));
    EXPECT_TRUE(names);
    std::erase_if(*names, [&](const std::string& name) { return name.find(kind) == std::string::npos; });
    EXPECT_FALSE(names->empty()) << kind;
    std::vector<std::string> paths;
    for (const auto& name : *names) paths.push_back(join_path(database_path(), name));
    return paths;
  }

  static std::string bytes_of(const std::string& path) {
    auto bytes = read_file(path, 100 * kMiB);
    EXPECT_TRUE(bytes);
    return bytes ? *bytes : std::string();
  }

  // Opens the damaged database and uses all of it: what comes back, and how much of it there is.
  int open_and_count_survivors() {
    open();
    int survivors = 0;
    for (int i = 0; i < kActions; ++i) {
      if (const auto value = action(action_name(i))) {
        EXPECT_EQ(*value, action_value(i));
        ++survivors;
      }
    }
    for (int i = 0; i < kSmallBlobs + kLargeBlobs; ++i) {
      if (const auto bytes = blob(digest_of(blob_value(i)))) {
        EXPECT_TRUE(*bytes == blob_value(i));
        ++survivors;
      }
    }
    for (const char* name : {"note 0", "note 1"}) {
      const auto note = store_->note(name);
      EXPECT_TRUE(note);
      EXPECT_THAT(note ? *note : std::nullopt,
                  AnyOf(std::optional<std::string>(), std::optional<std::string>("noted")));
    }
    return survivors;
  }

  // A write-ahead log that ends early is what a crash leaves, and no damage.
  void expect_said(std::string_view kind, int survivors) const {
    if (kind == ".log" && survivors >= kAll / 2) return;
    EXPECT_TRUE(survivors == kAll || !log_text().empty()) << kAll - survivors << " lost without a word";
  }

  // What was lost can be put again, at once or after the damaged database was set aside by the next open.
  void expect_mended() {
    if (!store_->put_blob("after the damage") || !store_->clear()) open();
    const Digest digest = put_blob("after the damage");
    EXPECT_EQ(blob(digest), "after the damage");
    open();
    EXPECT_EQ(blob(digest), "after the damage");
  }

  static constexpr int kAll = kActions + kSmallBlobs + kLargeBlobs;

  // `damage` changes a file's bytes at a place of it; tried for `places` places in each file of that kind.
  template <typename Damage>
  void sweep(std::string_view kind, std::size_t places, Damage damage) {
    for (const std::string& path : files_like(kind)) {
      for (std::size_t place = 0; place < places; ++place) {
        restore();
        const std::string bytes = bytes_of(path);
        const std::size_t offset = place * bytes.size() / places;
        SCOPED_TRACE(path + " at " + std::to_string(offset) + " of " + std::to_string(bytes.size()));
        ASSERT_TRUE(replace_file(path, damage(bytes, offset)));
        const int survivors = open_and_count_survivors();
        expect_said(kind, survivors);
        expect_mended();
      }
    }
  }

  static std::string flip(std::string bytes, std::size_t offset) {
    if (offset < bytes.size()) bytes[offset] = static_cast<char>(bytes[offset] ^ 0x10);
    return bytes;
  }
  static std::string cut(const std::string& bytes, std::size_t offset) { return bytes.substr(0, offset); }
  static std::string zero(std::string bytes, std::size_t offset) {
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(offset),
              bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), offset + 512)), '\0');
    return bytes;
  }

  std::string whole_;
};

TEST_F(DamageTest, LeavesEverythingThereWhenThereIsNone) {
  restore();
  EXPECT_EQ(open_and_count_survivors(), kAll);
  EXPECT_EQ(log_text(), "");
  EXPECT_EQ(store_->usage().corrupt, 0u);
}

class EveryKindOfFile : public DamageTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(EveryKindOfFile, MayHaveBitsFlipped) { sweep(GetParam(), 8, flip); }
TEST_P(EveryKindOfFile, MayBeCutShort) { sweep(GetParam(), 6, cut); }
TEST_P(EveryKindOfFile, MayHaveABlockOfZeros) { sweep(GetParam(), 4, zero); }

TEST_P(EveryKindOfFile, MayBeMissing) {
  for (const std::string& path : files_like(GetParam())) {
    restore();
    SCOPED_TRACE(path);
    ASSERT_TRUE(remove_tree(path));
    const int survivors = open_and_count_survivors();
    expect_said(GetParam(), survivors);
    expect_mended();
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheDatabase, EveryKindOfFile,
                         ::testing::Values("MANIFEST", "CURRENT", "OPTIONS", "IDENTITY", ".sst", ".blob", ".log"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::erase(name, '.');
                           return name;
                         });

TEST_F(DamageTest, OfABlobIsCountedAndSaidOnceWithItsDigest) {
  restore();
  for (const std::string& path : files_like(".blob")) {
    ASSERT_TRUE(replace_file(path, flip(bytes_of(path), bytes_of(path).size() / 2)));
  }
  const int survivors = open_and_count_survivors();
  EXPECT_LT(survivors, kAll);
  EXPECT_EQ(store_->usage().corrupt, static_cast<std::uint64_t>(kAll - survivors));
  EXPECT_THAT(log_text(), HasSubstr("store: dropped blob "));
  const std::string said = log_text();
  EXPECT_EQ(store_->usage().actions + store_->usage().blobs, static_cast<std::uint64_t>(survivors));
  for (int i = 0; i < kSmallBlobs + kLargeBlobs; ++i) blob(digest_of(blob_value(i)));
  EXPECT_EQ(log_text(), said) << "what was dropped is gone";
}

TEST_F(DamageTest, OfABlobLetsItBeStoredAgain) {
  restore();
  for (const std::string& path : files_like(".blob")) {
    ASSERT_TRUE(replace_file(path, flip(bytes_of(path), bytes_of(path).size() / 2)));
  }
  open_and_count_survivors();
  for (int i = 0; i < kSmallBlobs + kLargeBlobs; ++i) put_blob(blob_value(i));
  for (int i = 0; i < kSmallBlobs + kLargeBlobs; ++i) EXPECT_TRUE(blob(digest_of(blob_value(i))));
}

TEST_F(DamageTest, OfOneBlobMakesTheOthersReadBeforeTheyCountAsStored) {
  restore();
  constexpr std::size_t kPlaces = 8;
  for (const std::string& path : files_like(".blob")) {
    std::string bytes = bytes_of(path);
    for (std::size_t place = 1; place < kPlaces; ++place) bytes = flip(bytes, bytes.size() * place / kPlaces);
    ASSERT_TRUE(replace_file(path, bytes));
  }
  open();
  int first = 0;  // nobody has met the others
  while (first < kSmallBlobs + kLargeBlobs && blob(digest_of(blob_value(first)))) ++first;
  ASSERT_LT(first, kSmallBlobs + kLargeBlobs - 1);
  for (int i = 0; i < kSmallBlobs + kLargeBlobs; ++i) put_blob(blob_value(i));
  EXPECT_GT(store_->usage().corrupt, 1u);
  for (int i = 0; i < kSmallBlobs + kLargeBlobs; ++i) EXPECT_TRUE(blob(digest_of(blob_value(i))) == blob_value(i)) << i;
}

// The middle of the first record with a value that lies in one block of the log (u32 checksum, u16 length, u8
// type, payload). If a record that goes on in the next block is damaged, RocksDB 7.8 may join its rest to another
// one's. Then the database is set aside.
std::size_t inside_a_record(const std::string& log) {
  constexpr std::size_t kBlock = 32 * kKiB;
  constexpr std::size_t kHeader = 7;
  constexpr std::size_t kLengthAt = 4;
  constexpr std::size_t kTypeAt = 6;
  constexpr std::size_t kFull = 1;
  constexpr std::size_t kAction = 300;
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(log[at])); };
  for (std::size_t at = 0; at + kHeader < log.size();) {
    const std::size_t left = kBlock - at % kBlock;
    if (left < kHeader) {
      at += left;
      continue;
    }
    const std::size_t length = byte(at + kLengthAt) | byte(at + kLengthAt + 1) << 8;
    if (length > kAction && byte(at + kTypeAt) == kFull) return at + kHeader + length / 2;
    at += kHeader + length;
  }
  ADD_FAILURE() << "no record in one block";
  return 0;
}

TEST_F(DamageTest, OfTheWriteAheadLogCostsNoMoreThanThat) {
  for (const std::string& path : files_like(".log")) {
    restore();
    const std::string bytes = bytes_of(path);
    if (bytes.size() < 1000) continue;
    ASSERT_TRUE(replace_file(path, flip(bytes, inside_a_record(bytes))));
    const int survivors = open_and_count_survivors();
    EXPECT_GE(survivors, kAll / 2);
    EXPECT_LT(survivors, kAll);
    EXPECT_THAT(log_text(), HasSubstr("repaired by leaving out damaged records of the write-ahead log"));
  }
}

TEST_F(DamageTest, MetByACompactionEndsWithTheNextOpen) {
  restore();
  for (const std::string& path : files_like(".blob")) {
    ASSERT_TRUE(replace_file(path, flip(bytes_of(path), bytes_of(path).size() / 2)));
  }
  open();
  // The damaged blob is live and has to be moved: with the oldest blobs evicted, its file is one that compacting frees.
  const auto shrunk = store_->shrink_to(disk_use() - 50 * kKiB);
  ASSERT_FALSE(shrunk);
  EXPECT_THAT(shrunk.error().message, HasSubstr("Corruption"));
  EXPECT_THAT(log_text(), HasSubstr("store: damaged, writes are refused until it is opened again"));
  EXPECT_FALSE(store_->put_blob("refused"));
  EXPECT_EQ(action(action_name(0)), std::nullopt) << "was evicted as the oldest";
  open();
  EXPECT_THAT(log_text(), HasSubstr("database set aside"));
  EXPECT_EQ(blob(put_blob("accepted")), "accepted");
}

TEST_F(DamageTest, OfTheManifestSetsTheDatabaseAsideAndNamesTheFile) {
  restore();
  const std::string path = files_like("MANIFEST").front();
  ASSERT_TRUE(replace_file(path, flip(bytes_of(path), 20)));
  EXPECT_EQ(open_and_count_survivors(), 0);
  EXPECT_THAT(log_text(), HasSubstr("database set aside as " + version_path() + "/db.damaged-"));
  EXPECT_THAT(log_text(), HasSubstr("MANIFEST"));
}

}  // namespace
}  // namespace hipcache::store
