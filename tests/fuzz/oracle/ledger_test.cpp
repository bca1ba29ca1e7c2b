#include "fuzz/oracle/ledger.h"

#include <gtest/gtest.h>

#include "hipcache/cache/action_cache.h"

namespace hipcache::fuzz {
namespace {

Digest state(int number) { return digest_of(std::to_string(number)); }

const Compile kCompile{.source = "src/a.hip", .output = "out0/a.o", .archs = {"gfx906", "gfx1030"}};

TEST(Ledger, OwesWhatWasSettledInThatState) {
  Ledger ledger;
  EXPECT_FALSE(ledger.owes(kCompile, state(1)));
  ledger.settled(kCompile, state(1));
  EXPECT_TRUE(ledger.owes(kCompile, state(1)));
  EXPECT_FALSE(ledger.owes(kCompile, state(2)));
  Compile other = kCompile;
  other.flags = {{"-g"}};
  EXPECT_FALSE(ledger.owes(other, state(1)));
  ledger.cleared();
  EXPECT_FALSE(ledger.owes(kCompile, state(1)));
}

TEST(Ledger, OwesNothingForWhatWasOnlyTried) {
  Ledger ledger;
  ledger.tried(kCompile, state(1));
  EXPECT_FALSE(ledger.owes(kCompile, state(1)));
  EXPECT_TRUE(ledger.owed_archs(kCompile, state(1)).empty());
}

TEST(Ledger, OwesTheSameWithAnotherUnrelatedVariable) {
  Ledger ledger;
  ledger.settled(kCompile, state(1));
  Compile other = kCompile;
  other.environment["UNRELATED"] = "1";
  EXPECT_TRUE(ledger.owes(other, state(1)));
  other.environment["CPATH"] = "inc0";
  EXPECT_FALSE(ledger.owes(other, state(1)));
}

TEST(Ledger, OwesTheArchsThatWereCompiledInAnyListOfThem) {
  Ledger ledger;
  ledger.settled(kCompile, state(1));
  Compile other = kCompile;
  other.archs = {"gfx900", "gfx1030"};
  EXPECT_FALSE(ledger.owes(other, state(1)));
  EXPECT_EQ(ledger.owed_archs(other, state(1)), std::set<std::string>{"gfx1030"});
  EXPECT_TRUE(ledger.owed_archs(other, state(2)).empty());
}

TEST(Ledger, OwesNoMoreStatesThanAKeyHasPathSets) {
  Ledger ledger;
  for (int number = 0; number <= static_cast<int>(store::kMaxPathSets); ++number)
    ledger.settled(kCompile, state(number));
  EXPECT_FALSE(ledger.owes(kCompile, state(0)));
  EXPECT_TRUE(ledger.owed_archs(kCompile, state(0)).empty());
  EXPECT_TRUE(ledger.owes(kCompile, state(1)));
  ledger.settled(kCompile, state(1));  // used again: the next one in the line is the one to go
  ledger.settled(kCompile, state(100));
  EXPECT_TRUE(ledger.owes(kCompile, state(1)));
  EXPECT_FALSE(ledger.owes(kCompile, state(2)));
}

}  // namespace
}  // namespace hipcache::fuzz
