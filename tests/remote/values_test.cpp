// The values of a plain store: they come back as they went, and nothing damaged comes back at all.
#include "remote/layout/values.h"

#include <gtest/gtest.h>

#include <random>

namespace hipcache::remote {
namespace {

RemotePathSet path_set(const std::string& name, std::vector<std::uint64_t> tags) {
  return {digest_of(name), "questions of " + name, std::move(tags)};
}

RemoteResult result() {
  return {.action = "an action", .blobs = {{digest_of("object"), "object"}, {digest_of(""), ""}}};
}

TEST(RemoteValues, ComeBackAsTheyWent) {
  const Digest key = digest_of("key");
  const List list = {path_set("a", {1, 2}), path_set("b", {})};
  EXPECT_EQ(*decode_list(key, encode_list(key, list)), list);
  EXPECT_EQ(*decode_result(key, encode_result(key, result())), result());
  const std::string bytes(1u << 20, 'x');
  EXPECT_EQ(*decode_blob(digest_of(bytes), encode_blob(bytes), bytes.size()), bytes);
  EXPECT_FALSE(decode_blob(digest_of(bytes), encode_blob(bytes), bytes.size() - 1)) << "the limit counts decoded bytes";
}

TEST(RemoteValues, OfAnotherKeyAreDamaged) {
  const std::string value = encode_result(digest_of("key"), result());
  EXPECT_EQ(decode_result(digest_of("other"), value).error().code, ErrorCode::damaged);
  EXPECT_FALSE(decode_list(digest_of("key"), value)) << "and of another kind";
  EXPECT_FALSE(decode_blob(digest_of("other"), encode_blob("bytes"), 100));
}

TEST(RemoteValues, CutAnywhereOrWithAnyBitFlippedAreDamaged) {
  const Digest key = digest_of("key");
  const std::string good = encode_result(key, result());
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(decode_result(key, good.substr(0, size))) << size;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_result(key, bad)) << bit;
  }
  EXPECT_FALSE(decode_result(key, good + "x"));
}

TEST(RemoteValues, OfRandomBytesAreDamagedAndNothingWorse) {
  std::minstd_rand random(1);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (round % 2 == 0) bytes = encode_blob("x").substr(0, 6) + bytes;
    EXPECT_FALSE(decode_list(digest_of("key"), bytes));
    EXPECT_FALSE(decode_blob(digest_of("key"), bytes, 1u << 20));
  }
}

TEST(RemoteLists, HaveTheNewestPathSetFirstAndAtMostEight) {
  List list;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(add_to(list, path_set(std::to_string(i), {7})));
  EXPECT_EQ(list.size(), kMaxSets);
  EXPECT_EQ(list.front().id, digest_of("9"));
  EXPECT_FALSE(add_to(list, path_set("9", {7}))) << "nothing new";
  EXPECT_TRUE(add_to(list, path_set("5", {7}))) << "moves to the front";
  EXPECT_EQ(list.front().id, digest_of("5"));
  EXPECT_EQ(list.size(), kMaxSets);
}

TEST(RemoteLists, KeepTheNewestTagsOfAPathSet) {
  List list;
  for (std::uint64_t tag = 0; tag < 20; ++tag) add_to(list, path_set("a", {tag}));
  ASSERT_EQ(list.size(), 1u);
  ASSERT_EQ(list.front().tags.size(), kMaxTags);
  EXPECT_EQ(list.front().tags.front(), 19u);
  EXPECT_TRUE(has(list, path_set("a", {19, 4})));
  EXPECT_FALSE(has(list, path_set("a", {3}))) << "displaced";
}

TEST(RemoteLists, OfTwoServersAreJoined) {
  List near = {path_set("a", {1})};
  append(near, {path_set("b", {2}), path_set("a", {3})});
  EXPECT_EQ(near, (List{path_set("a", {1, 3}), path_set("b", {2})}));
}

}  // namespace
}  // namespace hipcache::remote
