#include "daemon/request/portable_arguments.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

using Arguments = std::vector<std::string>;

// Whether any of the arguments is joined with another.
bool joins(const Arguments& argv) {
  for (std::size_t i = 0; i < argv.size(); ++i)
    if (is_joined(argv, i)) return true;
  return false;
}

bool reaches(const std::string& root, const Arguments& argv) {
  return roots_reached_by_joining(argv, Roots(root)) != 0;
}

TEST(JoinedPaths, AreValuesThatStandBehindASysrootOrAPrefix) {
  for (const Arguments& argv : {Arguments{"-I=/x"},
                                {"-I", "=/x"},
                                {"-isystem=/x"},
                                {"-L=/x"},
                                {"--include-directory==/x"},
                                {"-I$SYSROOT/x"},
                                {"-Wl,-z,now,-L=/x"},
                                {"-iwithsysroot", "/x"},
                                {"-iwithprefix", "x"},
                                {"-iwithprefixbefore/x"},
                                {"-iprefix", "/x"},
                                {"-iprefix/x"},
                                {"--include-prefix=/x"}})
    EXPECT_TRUE(joins(argv)) << testing::PrintToString(argv);
  for (const Arguments& argv : {Arguments{"-I/x"},
                                {"-I", "/x"},
                                {"--include-directory=/x"},
                                {"--sysroot=/x"},
                                {"-fdebug-prefix-map=/x=."},
                                {"-std=c++17"},
                                {"-Wl,-rpath=/x"},
                                {"-specs=/x"},
                                {"a.c"},
                                {""}})
    EXPECT_FALSE(joins(argv)) << testing::PrintToString(argv);
}

TEST(JoinedPaths, ReachARootBelowThePrefix) {
  for (const Arguments& argv : {Arguments{"--sysroot=/p", "-I=/one"},
                                {"--sysroot", "/p", "-I", "=/one"},
                                {"-isysroot", "/p"},
                                {"-Xclang", "-isysroot", "-Xclang", "/p"},
                                {"-Wl,--sysroot=/p"},
                                {"--sysroot=/p/o", "-I=ne"},
                                {"-iprefix", "/p/", "-iwithprefix", "one"},
                                {"--sysroot=/", "-I=p/one"},
                                {"-working-directory=/p"}})
    EXPECT_TRUE(reaches("/p/one", argv)) << testing::PrintToString(argv);
}

TEST(JoinedPaths, ReachNoRootElsewhere) {
  for (const Arguments& argv :
       {Arguments{"--sysroot=/q", "-I=/one"}, {"--sysroot=/p/one/x", "-I=/y"}, {"--sysroot=/"}, {"-I/p"}, {"-O2"}})
    EXPECT_FALSE(reaches("/p/one", argv)) << testing::PrintToString(argv);
}

// "/p/one" and ".x" are "/p/one.x", which is no path in the root.
TEST(JoinedPaths, LeaveARootThatIsThePrefixOnlyByANameWithoutASlash) {
  EXPECT_TRUE(reaches("/p/one", {"--sysroot=/p/one", "-I=.x"}));
  EXPECT_FALSE(reaches("/p/one", {"--sysroot=/p/one", "-I=/x"}));
  EXPECT_FALSE(reaches("/p/one", {"--sysroot=/p/one"}));
}

TEST(JoinedPaths, MayReachEveryRootByAPrefixThatTheCompilerHasBuiltIn) {
  EXPECT_TRUE(reaches("/p/one", {"-I=/x"}));
  EXPECT_TRUE(reaches("/p/one", {"-iwithprefix", "x"}));
}

TEST(JoinedPaths, ReachARootByItsOtherName) {
  Roots roots;
  roots.add(kBaseMark, "/real/one", "/p/one");
  EXPECT_EQ(roots_reached_by_joining({"--sysroot=/p", "-I=/one"}, roots), roots.every());
}

}  // namespace
}  // namespace hipcache::daemon
