#include "store/blob_value.h"

#include <gtest/gtest.h>

#include "store_fixture.h"

namespace hipcache::store {
namespace {

const Digest kName = digest_of("the name of the blob");

std::optional<std::string> unpacked(std::string_view value, std::string_view prefix = {}, const Digest& name = kName) {
  const auto parsed = parse_value(name, value);
  return parsed ? unpack(*parsed, prefix) : std::nullopt;
}

TEST(BlobValue, GivesBackTheBytesThatWerePacked) {
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(100'000, 'x'), noise(1, 100'000)}) {
    EXPECT_EQ(unpacked(pack(kName, bytes)), bytes) << bytes.size();
    EXPECT_EQ(unpacked(pack(kName, bytes, Packing::soon)), bytes) << bytes.size();
  }
}

TEST(BlobValue, IsSmallerThanWhatCanBeCompressedAndHardlyLongerThanWhatCannot) {
  EXPECT_LT(pack(kName, std::string(100'000, 'x')).size(), 100u);
  EXPECT_LE(pack(kName, noise(1, 100'000)).size(), 100'000u + 16);
}

TEST(BlobValue, OfPartsIsLittleMoreThanWhereTheyAre) {
  const std::string host = noise(1, 60'000);
  const std::string fatbin = noise(2, 70'000);
  const std::string object = host.substr(0, 30'000) + fatbin + host.substr(30'000);
  const std::vector<Digest> bases{digest_of(host), digest_of(fatbin)};
  const std::string value = pack_delta(kName, object, bases, host + fatbin);
  EXPECT_LT(value.size(), 200u);
  ASSERT_TRUE(parse_value(kName, value));
  EXPECT_EQ(parse_value(kName, value)->bases, bases);
  EXPECT_EQ(unpacked(value, host + fatbin), object);
}

TEST(BlobValue, FindsTheBeginningOfAPartOfManyMegabytes) {
  const std::string first = noise(1, 24 * kMiB);
  const std::string second = noise(2, 3 * kMiB);
  const std::string bytes = "before" + second + first + "after";
  const std::string value = pack_delta(kName, bytes, {digest_of(first), digest_of(second)}, first + second);
  EXPECT_LT(value.size(), 64 * kKiB);
  EXPECT_TRUE(unpacked(value, first + second) == bytes);
}

TEST(BlobValue, OfTheLongestPartsCanBeRead) {
  const std::string part = noise(1, kLongestPrefix);
  const std::string bytes = part.substr(5) + "after";
  const std::string value = pack_delta(kName, bytes, {digest_of(part)}, part);
  EXPECT_LT(value.size(), kMiB);
  EXPECT_TRUE(unpacked(value, part) == bytes);
}

TEST(BlobValue, IsNothingUnderAnotherName) {
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(100'000, 'x')})
    EXPECT_EQ(unpacked(pack(kName, bytes), {}, digest_of("another")), std::nullopt);
}

TEST(BlobValue, IsNothingWithAnotherPrefix) {
  const std::string part = noise(1, 60'000);
  const std::string value = pack_delta(kName, "before" + part, {digest_of(part)}, part);
  EXPECT_EQ(unpacked(value, noise(2, 60'000)), std::nullopt);
  EXPECT_EQ(unpacked(value), std::nullopt);
}

TEST(BlobValue, IsNothingWhereverItIsCutShort) {
  const std::string part = noise(1, 1000);
  const std::string value = pack_delta(kName, "before" + part + std::string(1000, 'x'), {digest_of(part)}, part);
  for (std::size_t length = 0; length < value.size(); ++length)
    EXPECT_EQ(unpacked(value.substr(0, length), part), std::nullopt) << "cut to " << length;
}

// The bytes of a value without bases, taken piece by piece.
std::optional<std::string> in_pieces(std::string_view bytes) {
  const auto value = parse_value(kName, bytes);
  std::string whole;
  const auto take = [&](std::string_view piece) {
    whole += piece;
    return whole.size() <= kMiB;
  };
  return value && unpack_pieces(*value, take) ? std::optional(whole) : std::nullopt;
}

TEST(BlobValue, ComesInPiecesAsWellWhereItHasNoBases) {
  for (const std::string& bytes : {std::string(), std::string("small"), noise(1, 300'000), std::string(700'000, 'x')})
    EXPECT_TRUE(in_pieces(pack(kName, bytes)) == bytes) << bytes.size();
  EXPECT_EQ(in_pieces(pack(kName, std::string(2 * kMiB, 'x'))), std::nullopt) << "nobody takes more";
}

TEST(BlobValue, IsNothingInPiecesEitherWhereItIsCutShortOrDamaged) {
  const std::string whole = "before" + std::string(1000, 'x') + noise(1, 1000);
  const std::string good = pack(kName, whole);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_EQ(in_pieces(good.substr(0, length)), std::nullopt) << "cut to " << length;
  std::mt19937 random(20261122);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    char& byte = bad[random() % bad.size()];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    EXPECT_TRUE(bad == good || in_pieces(bad).value_or(whole) == whole) << "a bit that changes no byte, at most";
  }
}

TEST(BlobValue, SurvivesRandomDamage) {
  const std::string part = noise(1, 1000);
  const std::string good = pack_delta(kName, "before" + part + std::string(1000, 'x'), {digest_of(part)}, part);
  std::mt19937 random(20261122);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      char& byte = bad[random() % bad.size()];
      byte = static_cast<char>(byte ^ (1 << random() % 8));
    }
    const auto parsed = parse_value(kName, bad);
    if (!parsed) continue;
    EXPECT_LE(parsed->bases.size(), kMostBases);
    const auto bytes = unpack(*parsed, part);
    if (bytes) {
      EXPECT_LE(bytes->size(), kMiB);
    }
  }
}

}  // namespace
}  // namespace hipcache::store
