#include "hipcache/base/digest.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "hipcache/base/files.h"
#include "support/scratch.h"

namespace hipcache {
namespace {

// The first two of BLAKE3's published test vectors, and `b3sum` of three letters.
TEST(Digest, IsBlake3SoStoredKeysStayValid) {
  EXPECT_EQ(digest_of("").hex(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_EQ(digest_of(std::string(1, '\0')).hex(), "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213");
  EXPECT_EQ(digest_of("abc").hex(), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
}

TEST(Digest, IsShownByItsBeginningWhichIsItsPrefixToo) {
  EXPECT_EQ(digest_of("abc").shown(), "6437b3ac38465133");
  EXPECT_EQ(digest_of("abc").prefix(), 0x6437b3ac38465133u);
}

TEST(Digest, SurvivesHexAndBytes) {
  const Digest digest = digest_of("code object");
  EXPECT_EQ(*Digest::from_hex(digest.hex()), digest);
  EXPECT_EQ(*Digest::from_bytes(digest.bytes()), digest);
}

TEST(Digest, RefusesTextThatIsNone) {
  EXPECT_EQ(Digest::from_hex("12").error().message, "a digest has 64 hexadecimal digits, not 2");
  EXPECT_FALSE(Digest::from_hex(std::string(64, 'G')).ok());
  EXPECT_EQ(Digest::from_bytes("abc").error().message, "a digest has 32 bytes, not 3");
}

TEST(Digest, OfAFileEqualsThatOfItsBytesHoweverLong) {
  const support::Scratch scratch;
  for (std::size_t size : {0u, 1u, 262143u, 262144u, 262145u, 1000000u}) {
    const std::string bytes(size, 'x');
    UniqueFd fd(open(scratch.write("file", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(*digest_of_file(fd.get()), digest_of(bytes)) << size;
  }
}

TEST(Digest, OfADirectoryIsAnError) {
  UniqueFd fd(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_FALSE(digest_of_file(fd.get()).ok());
}

// Fields are gathered before they are digested; the digest must not show where that was cut.
TEST(Hasher, IsTheDigestOfItsFieldsWithTheirLengthsHoweverManyTheyAre) {
  const std::string length_of_field("\0\0\0\0\0\0\0\x64", 8);
  for (const int count : {0, 1, 100, 151, 152, 1000}) {
    Hasher hasher("d");
    std::string all("\0\0\0\0\0\0\0\1d", 9);
    for (int i = 0; i < count; ++i) {
      hasher.field(std::string(100, static_cast<char>('a' + i % 26)));
      all += length_of_field + std::string(100, static_cast<char>('a' + i % 26));
    }
    EXPECT_EQ(hasher.finish(), digest_of(all)) << count;
  }
}

TEST(Hasher, TellsApartFieldsThatConcatenateToTheSameBytes) {
  EXPECT_NE(Hasher("d").field("ab").field("c").finish(), Hasher("d").field("a").field("bc").finish());
  EXPECT_NE(Hasher("d").field("").finish(), Hasher("d").finish());
}

TEST(Hasher, TellsApartDomains) { EXPECT_NE(Hasher("host").field("x").finish(), Hasher("device").field("x").finish()); }

TEST(Hasher, FinishesWithoutEnding) {
  Hasher hasher("d");
  hasher.field("a");
  const Digest first = hasher.finish();
  EXPECT_EQ(hasher.finish(), first);
  EXPECT_NE(hasher.field("b").finish(), first);
}

}  // namespace
}  // namespace hipcache
