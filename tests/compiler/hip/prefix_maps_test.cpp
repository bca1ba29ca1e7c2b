#include "hipcache/compiler/hip/prefix_maps.h"

#include <gtest/gtest.h>

namespace hipcache::hip {
namespace {

constexpr RootMask kBuild = 1, kBase = 2;

Roots roots() {
  Roots roots;
  roots.add(kBuildMark, "/src/build");
  roots.add(kBaseMark, "/src");
  return roots;
}

PrefixMaps maps_of(const std::vector<std::string>& argv) {
  PrefixMaps maps;
  maps.add(argv, roots());
  return maps;
}

TEST(PrefixMaps, OfARootTakeItsNameFromSourcesThatAskForTheirOwn) {
  EXPECT_EQ(maps_of({"-ffile-prefix-map=/src=."}).own_names(), kBase);
  EXPECT_EQ(maps_of({"-fmacro-prefix-map=/src/build/=b"}).own_names(), kBuild);
  EXPECT_EQ(maps_of({"-fdebug-prefix-map=/src=."}).own_names(), 0u);
  EXPECT_EQ(maps_of({"-ffile-prefix-map=/src=/src/x"}).own_names(), 0u) << "it brings the name back";
  EXPECT_EQ(maps_of({"-ffile-prefix-map=/src=.", "-ffile-prefix-map=.=/src"}).own_names(), 0u);
}

TEST(PrefixMaps, OfARootLeaveThePlaceOfARootWithin) {
  const PrefixMaps maps = maps_of({"-fdebug-prefix-map=/src=."});
  EXPECT_EQ(maps.places_in("x./build"), kBuild);
  EXPECT_EQ(maps.places_in("x./other"), 0u);
  EXPECT_EQ(maps.left_in("x./build"), 0u);
  EXPECT_EQ(maps.places(), kBuild);
}

TEST(PrefixMaps, OfAnyOtherDirectoryLeaveWhatMayBeAnything) {
  const PrefixMaps maps = maps_of({"-ffile-prefix-map=/sr=."});
  EXPECT_EQ(maps.left_in(".c/build"), kBuild | kBase);
  EXPECT_EQ(maps.left_in(".c/x"), kBase);
  EXPECT_EQ(maps.places(), 0u);
}

TEST(PrefixMaps, LeaveNothingOfWhatTheyDoNotTouch) {
  const PrefixMaps maps = maps_of({"-ffile-prefix-map=/usr=.", "-O2", "-fmacro-prefix-map=nothing"});
  EXPECT_EQ(maps.left_in("./build/src"), 0u);
  EXPECT_EQ(maps.own_names(), 0u);
}

TEST(MapsAbove, IsTrueOfAMapThatLeavesAPartOfTheDirectory) {
  EXPECT_TRUE(maps_above("/src/build", {"-g", "-fdebug-prefix-map=/src=."}));
  EXPECT_TRUE(maps_above("/src/build", {"-Wa,--debug-prefix-map=/x=y,--debug-prefix-map=/src/b=z"}));
  EXPECT_FALSE(maps_above("/src/build", {"-fdebug-prefix-map=/src/build=."}));
  EXPECT_FALSE(maps_above("/src/build", {"-fdebug-prefix-map=/other=."}));
}

}  // namespace
}  // namespace hipcache::hip
