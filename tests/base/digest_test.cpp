#include "hipcache/base/digest.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "hipcache/base/files.h"
#include "hipcache/base/piecewise_digest.h"
#include "support/scratch.h"

namespace hipcache {
namespace {

TEST(Digest, IsXxh3Of128BitsSoStoredKeysStayValid) {
  EXPECT_EQ(digest_of("").hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Digest, SurvivesHexAndBytes) {
  const Digest digest = digest_of("code object");
  EXPECT_EQ(*Digest::from_hex(digest.hex()), digest);
  EXPECT_EQ(*Digest::from_bytes(digest.bytes()), digest);
}

TEST(Digest, RefusesTextThatIsNone) {
  EXPECT_EQ(Digest::from_hex("12").error().message, "a digest has 32 hexadecimal digits, not 2");
  EXPECT_FALSE(Digest::from_hex(std::string(32, 'G')).ok());
  EXPECT_EQ(Digest::from_bytes("abc").error().message, "a digest has 16 bytes, not 3");
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

TEST(Digest, InPiecesIsThatOfTheWhole) {
  const std::string bytes(1000, 'x');
  PiecewiseDigest pieces;
  EXPECT_EQ(pieces.finish(), digest_of(""));
  for (std::size_t at = 0; at < bytes.size(); at += 300) pieces.add(std::string_view(bytes).substr(at, 300));
  EXPECT_EQ(pieces.finish(), digest_of(bytes));
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
