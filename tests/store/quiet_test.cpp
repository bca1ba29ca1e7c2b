// Reading for a copy of the store leaves the order of eviction.
#include "store/store_fixture.h"

namespace hipcache::store {
namespace {

class QuietTest : public StoreTest {
 protected:
  std::uint32_t last_use(std::string_view name) {
    const Result<std::vector<StoredAction>> actions = store_->stored_actions();
    EXPECT_TRUE(actions);
    for (const StoredAction& action : *actions)
      if (action.key == key_of(name)) return action.last_use;
    return 0;
  }
};

TEST_F(QuietTest, ListsEveryActionWithItsLastUse) {
  open();
  EXPECT_TRUE(store_->stored_actions()->empty());
  put_action("first", "1");
  put_action("second", "2");
  EXPECT_EQ(store_->stored_actions()->size(), 2u);
  const std::uint32_t before = last_use("first");
  EXPECT_LT(before, last_use("second"));
  EXPECT_EQ(action("first"), "1");
  EXPECT_GT(last_use("first"), last_use("second"));
}

TEST_F(QuietTest, ReadsTheSameValuesWithoutAUse) {
  open();
  put_action("action", "value");
  const Digest blob = put_blob(noise(1, 10'000));
  const std::uint32_t before = last_use("action");
  EXPECT_EQ(store_->quiet().action(key_of("action")).value(), "value");
  EXPECT_EQ(store_->quiet().blob(blob).value(), noise(1, 10'000));
  EXPECT_FALSE(store_->quiet().action(key_of("nothing")).value());
  EXPECT_TRUE(store_->quiet().missing_blobs(std::vector<Digest>{blob})->empty());
  EXPECT_EQ(last_use("action"), before);
}

TEST_F(QuietTest, ReadsBlobsWithBases) {
  open();
  const std::string part = noise(2, 50'000);
  const Digest base = put_blob(part);
  const Result<Digest> whole = store_->put_blob_like(part + "end", {.parts = {base}});
  ASSERT_TRUE(whole);
  EXPECT_EQ(store_->quiet().blob(*whole).value(), part + "end");
}

TEST_F(QuietTest, ListsActionsOfADatabaseThatWasJustOpened) {
  open();
  for (int at = 0; at < 100; ++at) put_action("action " + std::to_string(at), "value");
  open();
  EXPECT_EQ(store_->stored_actions()->size(), 100u);
}

}  // namespace
}  // namespace hipcache::store
