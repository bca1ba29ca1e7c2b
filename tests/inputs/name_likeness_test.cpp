#include "hipcache/inputs/path_set.h"

#include <gtest/gtest.h>

namespace hipcache::inputs {
namespace {

Root root(const std::string& path, const std::string& alias = "", const std::string& form = "") {
  return {"base", path, alias, form};
}

// Whether a third name is served by what the code made under both of the first two.
bool serves(const Root& one, const Root& other, const Root& third) {
  const std::optional<Observation> asked = likeness_of(one, other);
  EXPECT_TRUE(asked);
  EXPECT_EQ(mark_of_likeness(asked->name), "base");
  const std::string_view parts = parts_of_likeness(asked->name);
  EXPECT_EQ(shared_parts(one, parts), shared_parts(other, parts));
  return shared_parts(one, parts) == shared_parts(third, parts);
}

TEST(NameLikeness, AsksForALengthThatBothHave) {
  EXPECT_TRUE(serves(root("/w/red"), root("/w/tan"), root("/w/sky")));
  EXPECT_FALSE(serves(root("/w/red"), root("/w/tan"), root("/w/blue")));
  EXPECT_TRUE(serves(root("/w/red"), root("/w/green"), root("/w/a/longer/one")));
}

TEST(NameLikeness, AsksForHowBothBeginAndEnd) {
  EXPECT_FALSE(serves(root("/w/red"), root("/w/green"), root("/x/blue")));
  EXPECT_TRUE(serves(root("/w/red/src"), root("/w/green/src"), root("/w/blue/src")));
  EXPECT_FALSE(serves(root("/w/red/src"), root("/w/green/src"), root("/w/blue/main")));
  EXPECT_FALSE(serves(root("/w/red/src"), root("/w/green/src"), root("/w")));
  EXPECT_FALSE(serves(root("/w/green"), root("/w/grey"), root("/w/blue")));
  EXPECT_TRUE(serves(root("/w/one"), root("/w/three"), root("/w/fourth")));
  EXPECT_TRUE(serves(root("/w/a"), root("/v/w/a"), root("/u/w/a")));
}

TEST(NameLikeness, AsksForAnAliasAsForThePath) {
  EXPECT_TRUE(serves(root("/w/red", "/l/one"), root("/w/green", "/l/three"), root("/w/blue", "/l/seven")));
  EXPECT_FALSE(serves(root("/w/red", "/l/one"), root("/w/green", "/l/three"), root("/w/blue", "/m/seven")));
  EXPECT_FALSE(serves(root("/w/red"), root("/w/tan"), root("/w/sky", "/l/one")));
}

TEST(NameLikeness, NeedsTwoNamesThatAreUsedAlikeAndDiffer) {
  EXPECT_FALSE(likeness_of(root("/w/red"), root("/w/red")));
  EXPECT_FALSE(likeness_of(root("/w/red", "/l/one"), root("/w/green", "/l/one")));
  EXPECT_FALSE(likeness_of(root("/w/red", "/l/one", "alias"), root("/w/green", "/l/two", "path")));
  EXPECT_FALSE(
      serves(root("/w/red", "/l/a", "path"), root("/w/tan", "/l/bb", "path"), root("/w/sky", "/l/c", "alias")));
}

TEST(NameLikeness, AnswersWhateverIsAsked) {
  for (const char* question : {"", " ", "x", " 1", " 1 99 99", " 1 99999999999999999999999 -3 a", " 0 0 0 0 0 0 0"})
    EXPECT_EQ(shared_parts(root("/w/red"), question), shared_parts(root("/w/red"), question)) << question;
  EXPECT_EQ(shared_parts(root("/w/red"), " 1 99 99 0 1 1"), "\n6\n/w/red\n/w/red\n\n\n\n");
  EXPECT_EQ(mark_of_likeness("base"), "base");
  EXPECT_EQ(parts_of_likeness("base"), "");
}

}  // namespace
}  // namespace hipcache::inputs
