#include "hipcache/base/checksum.h"

#include <gtest/gtest.h>

namespace hipcache {
namespace {

TEST(Checksum, IsXxh3Of64BitsSoStoredValuesStayReadable) {
  EXPECT_EQ(checksum_hex(checksum_of("")), "2d06800538d394c2");
}

TEST(Checksum, IsAnotherUnderAnotherSeed) { EXPECT_NE(checksum_of("bytes", 1), checksum_of("bytes", 2)); }

TEST(Checksum, HasItsHighestByteFirst) {
  EXPECT_EQ(checksum_bytes(0x6162636465666768), "abcdefgh");
  EXPECT_EQ(checksum_from("abcdefgh and more"), 0x6162636465666768u);
  EXPECT_EQ(checksum_hex(0x0102), "0000000000000102");
}

TEST(Checksum, InPiecesIsThatOfTheWhole) {
  const std::string bytes(1000, 'x');
  PiecewiseChecksum pieces(7);
  EXPECT_EQ(pieces.finish(), checksum_of("", 7));
  for (std::size_t at = 0; at < bytes.size(); at += 300) pieces.add(std::string_view(bytes).substr(at, 300));
  EXPECT_EQ(pieces.finish(), checksum_of(bytes, 7));
}

}  // namespace
}  // namespace hipcache
