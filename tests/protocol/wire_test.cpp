#include "protocol/wire.h"

#include <gtest/gtest.h>

#include <limits>

namespace hipcache::protocol {

struct Part {
  std::string name;
};
struct Whole {
  std::uint32_t small = 0;
  std::int32_t signed_number = 0;
  std::uint64_t large = 0;
  std::optional<std::string> maybe = {};
  std::vector<Part> parts = {};
  std::vector<std::uint64_t> numbers = {};
  Part part = {};
};

void fields(auto& archive, Of<Part> auto& part) { archive(1, part.name); }

void fields(auto& archive, Of<Whole> auto& whole) {
  archive(1, whole.small);
  archive(2, whole.signed_number);
  archive(3, whole.large);
  archive(4, whole.maybe);
  archive(5, whole.parts);
  archive(6, whole.numbers);
  archive(7, whole.part);
}

namespace {

using namespace std::string_literals;

std::string written(const Whole& whole) {
  WireWriter writer;
  fields(writer, whole);
  return std::move(writer).bytes();
}

// Nothing if the bytes are damaged.
std::optional<Whole> read(const std::string& bytes) {
  WireReader reader(bytes);
  Whole whole;
  reader.read(whole);
  return reader.is_damaged() ? std::nullopt : std::optional(whole);
}

TEST(Wire, IsThatOfProtobuf) {
  const Whole whole{300, -1, 1, "", {{"a"}, {}}, {0x0102'0304'0506'0708}, {}};
  EXPECT_EQ(written(whole),
            "\x08\xac\x02\x10\x01\x18\x01\x22\x00\x2a\x03\x0a\x01"
            "a\x2a\x00\x32\x08\x08\x07\x06\x05\x04\x03\x02\x01\x3a\x00"s);
  EXPECT_EQ(written(Whole()), "\x3a\x00"s) << "only a message within is written if it is empty";
}

TEST(Wire, KeepsTheLargestNumbers) {
  const Whole whole{.small = std::numeric_limits<std::uint32_t>::max(),
                    .signed_number = std::numeric_limits<std::int32_t>::min(),
                    .large = std::numeric_limits<std::uint64_t>::max()};
  const std::optional<Whole> back = read(written(whole));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->small, whole.small);
  EXPECT_EQ(back->signed_number, whole.signed_number);
  EXPECT_EQ(back->large, whole.large);
  EXPECT_FALSE(back->maybe);
}

TEST(Wire, SkipsFieldsThatAreUnknownOrOfAnotherType) {
  const std::string unknown = "\x78\x01"s + "\x79" + "12345678" + "\x7a\x02" + "ab" + "\x7d" + "1234";
  const std::string of_another_type = "\x0a\x01"s + "x" + "\x20\x01";
  const std::optional<Whole> back = read(unknown + of_another_type + "\x18\x05");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->small, 0u);
  EXPECT_FALSE(back->maybe);
  EXPECT_EQ(back->large, 5u);
}

TEST(Wire, ReadsTheLaterOfTwoValuesAndJoinsListsAndMessages) {
  const std::optional<Whole> back = read("\x18\x05\x18\x06\x2a\x00\x2a\x00\x3a\x03\x0a\x01x\x3a\x00"s);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->large, 6u);
  EXPECT_EQ(back->parts.size(), 2u);
  EXPECT_EQ(back->part.name, "x");
}

TEST(Wire, RefusesWhatIsDamaged) {
  EXPECT_FALSE(read("\x18"s)) << "no value";
  EXPECT_FALSE(read("\x18\x80"s)) << "half a number";
  EXPECT_FALSE(read("\x18" + std::string(9, '\xff') + "\x02")) << "a number of more than 64 bits";
  EXPECT_FALSE(read("\x22\x02x"s)) << "more bytes than there are";
  EXPECT_FALSE(read("\x22" + std::string(9, '\xff') + "\x01")) << "a size near the largest number";
  EXPECT_FALSE(read("\x2a\x02\x0a\x01"s)) << "the same, within";
  EXPECT_FALSE(read("\x02\x00"s)) << "field 0";
  EXPECT_FALSE(read("\xf8\xff\xff\xff\x7f\x00"s)) << "a field above the largest";
  EXPECT_FALSE(read("\x7b\x7c"s)) << "a group";
  EXPECT_FALSE(read("\x32\x04"s + "1234")) << "half a number in a list";
}

}  // namespace
}  // namespace hipcache::protocol
