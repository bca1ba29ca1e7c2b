#include "hipcache/base/text.h"

#include <gtest/gtest.h>

namespace hipcache {
namespace {

TEST(Nearest, ALetterLessMoreOtherOrSwappedIsOneMistake) {
  EXPECT_EQ(edit_distance("MAX_SIZE", "MAX_SIZE"), 0u);
  EXPECT_EQ(edit_distance("MAXSIZE", "MAX_SIZE"), 1u);
  EXPECT_EQ(edit_distance("MAX__SIZE", "MAX_SIZE"), 1u);
  EXPECT_EQ(edit_distance("MAX-SIZE", "MAX_SIZE"), 1u);
  EXPECT_EQ(edit_distance("MAX_SZIE", "MAX_SIZE"), 1u);
  EXPECT_EQ(edit_distance("", "DIR"), 3u);
  EXPECT_EQ(edit_distance("DIR", ""), 3u);
}

TEST(Nearest, IsTheNameWithTheFewestMistakes) {
  const std::vector<std::string> names{"DIR", "LOG", "JOBS", "READONLY", "RECACHE", "MAX_SIZE"};
  EXPECT_EQ(nearest("MAXSIZE", names), "MAX_SIZE");
  EXPECT_EQ(nearest("READ_ONLY", names), "READONLY");
  EXPECT_EQ(nearest("JOB", names), "JOBS");
}

TEST(Nearest, AShortNameHasRoomForOneMistakeOnly) {
  const std::vector<std::string> names{"DIR", "LOG", "JOBS"};
  EXPECT_EQ(nearest("BIN", names), "") << "two letters of three differ";
  EXPECT_EQ(nearest("HOST", names), "");
  EXPECT_EQ(nearest("DIRS", names), "DIR");
}

TEST(Nearest, ALongNameIsNotCompared) { EXPECT_EQ(nearest(std::string(10'000, 'A'), {"A"}), ""); }

}  // namespace
}  // namespace hipcache
