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

TEST(PrefixMaps, ThatEndWithinANameLeaveTheRestBehindTheReplacement) {
  for (const std::string map : {"=.", "=x", "=/y/x"}) {
    const std::string name = map == "=." ? "." : "x";
    const PrefixMaps maps = maps_of({"-ffile-prefix-map=/src/bui" + map});
    EXPECT_EQ(maps.left_in("\"" + name + "ld/made.h\""), kBuild) << map;
    EXPECT_EQ(maps.left_in("stdlib.h, -build, xbuild"), 0u) << map;
  }
  for (const char* map : {"=", "=/y/"}) {
    const PrefixMaps maps = maps_of({std::string("-ffile-prefix-map=/src/bui") + map});
    EXPECT_EQ(maps.left_in("ld/made.h"), kBuild) << map;
  }
}

TEST(PrefixMaps, LeaveNothingOfWhatTheyDoNotTouch) {
  const PrefixMaps maps = maps_of({"-ffile-prefix-map=/usr=.", "-O2", "-fmacro-prefix-map=nothing"});
  EXPECT_EQ(maps.left_in("./build/src"), 0u);
  EXPECT_EQ(maps.own_names(), 0u);
}

TEST(PrefixMaps, OfACompilationDirectoryLeaveWhatARootDoesNotShareWithIt) {
  for (const std::vector<std::string>& argv : {std::vector<std::string>{"-fdebug-compilation-dir=/src"},
                                               {"-ffile-compilation-dir=/src/"},
                                               {"-fdebug-compilation-dir", "/src/other"},
                                               {"-Xclang", "-fdebug-compilation-dir", "-Xclang", "/src"}}) {
    EXPECT_EQ(maps_of(argv).left_in_debug_information("build/made.h"), kBuild);
    EXPECT_EQ(maps_of(argv).left_in_debug_information("build"), 0u);
    EXPECT_EQ(maps_of(argv).left_in("build/made.h"), 0u);
  }
  for (const char* other : {"-fdebug-compilation-dir=/src/build", "-fdebug-compilation-dir=/elsewhere",
                            "-fdebug-compilation-dir=.", "-fno-such-option=/src"})
    EXPECT_EQ(maps_of({other}).left_in_debug_information("build/made.h src/a.h"), 0u) << other;
}

TEST(LeftBeside, IsThePathWithoutTheNamesThatItSharesWithTheDirectory) {
  EXPECT_EQ(left_beside("/src/one", "/src/build"), "one");
  EXPECT_EQ(left_beside("/src/one/b", "/src/"), "one/b");
  EXPECT_EQ(left_beside("/src/one", "/srcs"), "") << "they share /";
  EXPECT_EQ(left_beside("/src/one", "/src/on"), "one");
  EXPECT_EQ(left_beside("/src/one", "/src/one/build"), "") << "it appears as a whole";
  EXPECT_EQ(left_beside("", "/src"), "");
}

TEST(MapsAbove, IsTrueOfAMapThatLeavesAPartOfTheDirectory) {
  EXPECT_TRUE(maps_above("/src/build", {"-g", "-fdebug-prefix-map=/src=."}));
  EXPECT_TRUE(maps_above("/src/build", {"-Wa,--debug-prefix-map=/x=y,--debug-prefix-map=/src/b=z"}));
  EXPECT_FALSE(maps_above("/src/build", {"-fdebug-prefix-map=/src/build=."}));
  EXPECT_FALSE(maps_above("/src/build", {"-fdebug-prefix-map=/other=."}));
}

}  // namespace
}  // namespace hipcache::hip
