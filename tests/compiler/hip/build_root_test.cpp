#include "hipcache/compiler/hip/cuid.h"

#include <gtest/gtest.h>

#include <set>

namespace hipcache::hip {
namespace {

class BuildRootsTest : public ::testing::Test {
 protected:
  BuildRoots of(const std::string& directory) {
    return build_roots(directory, [&](const std::string& path) {
      ++asked;
      return files.contains(path);
    });
  }
  std::set<std::string> files;
  int asked = 0;
};

TEST_F(BuildRootsTest, AreTheNearestAndTheTopmostWithTheFilesOfABuild) {
  files = {"/p/build/CMakeCache.txt", "/p/build/external/x/build.ninja", "/p/build/external/CMakeCache.txt"};
  const BuildRoots roots = of("/p/build/external/x/src");
  EXPECT_EQ(roots.nearest, "/p/build/external/x");
  EXPECT_EQ(roots.topmost, "/p/build");
}

TEST_F(BuildRootsTest, AreOneWhereBuildsAreNotNested) {
  files = {"/p/build/build.ninja"};
  const BuildRoots roots = of("/p/build/");
  EXPECT_EQ(roots.nearest, "/p/build");
  EXPECT_EQ(roots.topmost, "/p/build");
}

TEST_F(BuildRootsTest, AreNoneElsewhereAndNeverTheRootOfAll) {
  files = {"/CMakeCache.txt"};
  EXPECT_EQ(of("/p/src").nearest, "");
  EXPECT_EQ(of("/").topmost, "");
  EXPECT_EQ(of("relative").nearest, "");
}

TEST_F(BuildRootsTest, AskTwiceForEachDirectoryAtMost) {
  of("/a/b/c");
  EXPECT_EQ(asked, 6);
}

}  // namespace
}  // namespace hipcache::hip
