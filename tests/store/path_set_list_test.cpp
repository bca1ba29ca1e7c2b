#include "store/framing.h"

#include <gtest/gtest.h>

namespace hipcache::store {
namespace {

PathSetReference reference(int i) {
  return {digest_of("id" + std::to_string(i)), digest_of("blob" + std::to_string(i))};
}

TEST(PathSetList, PutsTheNewestFirstAndEachSetOnce) {
  PathSetList list;
  EXPECT_TRUE(list.move_to_front(reference(1)));
  EXPECT_TRUE(list.move_to_front(reference(2)));
  EXPECT_TRUE(list.move_to_front(reference(1)));
  EXPECT_EQ(list.sets(), (std::vector<PathSetReference>{reference(1), reference(2)}));
  EXPECT_FALSE(list.move_to_front(reference(1))) << "it is first already: nothing to write";
}

TEST(PathSetList, HasTheBytesOfVersion2) {
  PathSetList list;
  const std::string id(Digest::kSize, 'i');
  const std::string blob(Digest::kSize, 'b');
  list.move_to_front({*Digest::from_bytes(id), *Digest::from_bytes(blob)});
  EXPECT_EQ(list.encode(), "\x02\x01" + id + blob);
}

TEST(PathSetList, HoldsNoMoreThanItsLimit) {
  PathSetList list;
  for (int i = 0; i < 100; ++i) list.move_to_front(reference(i));
  EXPECT_EQ(list.sets().size(), kMaxPathSets);
  EXPECT_EQ(list.sets().front(), reference(99));
}

TEST(PathSetList, ComesBackFromItsEncodedFormAndNotFromAPartOfIt) {
  PathSetList list;
  for (int i = 0; i < 3; ++i) list.move_to_front(reference(i));
  const std::string bytes = list.encode();
  Result<PathSetList> back = PathSetList::decode(bytes);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->sets(), list.sets());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(PathSetList::decode(std::string_view(bytes).substr(0, length)).ok()) << "cut to " << length;
  EXPECT_FALSE(PathSetList::decode(bytes + "x").ok());
}

}  // namespace
}  // namespace hipcache::store
