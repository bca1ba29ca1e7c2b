#include "store/framing.h"

#include <gtest/gtest.h>

namespace hipcache::store {
namespace {

TEST(Framing, GivesBackTheActionThatWasFramed) {
  const Digest key = digest_of("key");
  EXPECT_EQ(unframe_action(key, frame_action(key, "value")), "value");
  EXPECT_EQ(unframe_action(key, frame_action(key, "")), "");
}

TEST(Framing, GivesNothingForAnActionUnderAnothersKey) {
  EXPECT_EQ(unframe_action(digest_of("other"), frame_action(digest_of("key"), "value")), std::nullopt);
}

TEST(Framing, GivesNothingForAnActionWithAnyBitFlipped) {
  const Digest key = digest_of("key");
  const std::string frame = frame_action(key, "value");
  for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    std::string damaged = frame;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(unframe_action(key, damaged), std::nullopt) << "bit " << bit;
  }
}

TEST(Framing, GivesNothingForAnActionCutAnywhere) {
  const Digest key = digest_of("key");
  const std::string frame = frame_action(key, "value");
  for (std::size_t size = 0; size < frame.size(); ++size) {
    EXPECT_EQ(unframe_action(key, frame.substr(0, size)), std::nullopt) << size << " bytes";
  }
}

TEST(Framing, GivesBackUseRecordsOfBothTables) {
  for (const Table table : {Table::actions, Table::blobs}) {
    const auto key = decode_use_key(encode_use_key({table, digest_of("key")}));
    ASSERT_TRUE(key);
    EXPECT_EQ(key->table, table);
    EXPECT_EQ(key->digest, digest_of("key"));
  }
  for (const bool has_bases : {false, true}) {
    const auto use = decode_use(encode_use({0xf1020304, 0x7ffefdfc, has_bases}));
    ASSERT_TRUE(use);
    EXPECT_EQ(use->seconds, 0xf1020304u);
    EXPECT_EQ(use->size, 0x7ffefdfcu);
    EXPECT_EQ(use->has_bases, has_bases);
  }
}

TEST(Framing, RefusesUseRecordsOfAnotherForm) {
  EXPECT_FALSE(decode_use_key("b"));
  EXPECT_FALSE(decode_use_key(std::string(1 + Digest::kSize, 'x')));
  EXPECT_FALSE(decode_use_key(encode_use_key({Table::blobs, digest_of("key")}) + "x"));
  EXPECT_FALSE(decode_use("1234567"));
  EXPECT_FALSE(decode_use("123456789"));
}

}  // namespace
}  // namespace hipcache::store
