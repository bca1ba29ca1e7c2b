#include "hipcache/protocol/explanation.h"

#include <gtest/gtest.h>

#include <set>

namespace hipcache::protocol {
namespace {

TEST(Explanation, EveryKindOfDifferenceHasANameAndALineOfItsOwn) {
  std::set<std::string> names;
  std::set<std::string> lines;
  for (std::uint32_t kind = 0; kind <= static_cast<std::uint32_t>(kLastDiffers); ++kind) {
    const Difference difference{static_cast<Differs>(kind), "NAME", "NOW", "WAS"};
    names.insert(name_of(difference.kind));
    const std::string line = describe(difference);
    EXPECT_EQ(line.find('$'), std::string::npos) << line;
    lines.insert(line);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kLastDiffers) + 1);
  EXPECT_EQ(lines.size(), names.size());
}

TEST(Explanation, EveryKindOfTieHasANameAndALineOfItsOwn) {
  std::set<std::string> names;
  std::set<std::string> lines;
  for (std::uint32_t kind = 0; kind <= static_cast<std::uint32_t>(kLastTiedBy); ++kind) {
    const Tie tie{static_cast<TiedBy>(kind), "NAME", "OTHER", 0};
    names.insert(name_of(tie.by));
    const std::string line = describe(tie);
    EXPECT_TRUE(line.starts_with("kept to this " + tied_to(tie.by) + ": ")) << line;
    EXPECT_EQ(line.find('$'), std::string::npos) << line;
    lines.insert(line);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kLastTiedBy) + 1);
  EXPECT_EQ(lines.size(), names.size());
}

TEST(Explanation, ATieSaysEachNameWhereverItBelongsAndCountsTheRest) {
  EXPECT_EQ(describe({TiedBy::own_name, "/p/$other.h\n", "/p", 2}),
            "kept to this directory: /p/$other.h? uses __FILE__, which names /p; with -ffile-prefix-map=/p=. it travels"
            " (and 2 more)");
}

TEST(Explanation, AFileIsSaidWithBothDigests) {
  EXPECT_EQ(name_of(Differs::content), "content");
  EXPECT_EQ(describe({Differs::content, "/x.h", "12", "34"}), "content /x.h (digest 12, was 34)");
}

TEST(Explanation, AVariableIsSaidByItsName) {
  EXPECT_EQ(describe({Differs::variable_changed, "CPATH", "", ""}), "variable CPATH differs");
  EXPECT_EQ(describe({Differs::variable_unset, "CPATH", "", ""}), "variable CPATH is not set any more");
}

TEST(Explanation, ARefusalHasItsDetailIfThereIsOne) {
  EXPECT_EQ(describe({Differs::refused, "clock", "", ""}), "was not stored: clock");
  EXPECT_EQ(describe({Differs::refused, "clock", "/a.h", ""}), "was not stored: clock: /a.h");
}

TEST(Explanation, NamesAreTakenAsTheyAreButForControlCharacters) {
  EXPECT_EQ(describe({Differs::appeared, "/$now/$name\n\x1b[1m", "x", ""}), "/$now/$name??[1m appeared");
}

}  // namespace
}  // namespace hipcache::protocol
