#include "hipcache/inputs/frames.h"

#include <gtest/gtest.h>

#include <limits>

namespace hipcache::inputs {
namespace {

TEST(Frames, GiveBackWhatWasWritten) {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const std::string bytes =
      FrameWriter().byte(7).number(0).number(127).number(128).number(largest).text("text").raw("ab").bytes();
  FrameReader in(bytes);
  EXPECT_EQ(in.byte(), 7);
  EXPECT_EQ(in.number(), 0u);
  EXPECT_EQ(in.number(), 127u);
  EXPECT_EQ(in.number(), 128u);
  EXPECT_EQ(in.number(), largest);
  EXPECT_EQ(in.text(), "text");
  EXPECT_EQ(in.raw(2), "ab");
  EXPECT_TRUE(in.finished());
}

TEST(Frames, FailForEverOnceTheyReadPastTheEnd) {
  FrameReader in(
      std::string_view("\x05"
                       "ab",
                       3));
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.byte(), 0);
  EXPECT_FALSE(in.finished());
}

TEST(Frames, RefuseNumbersThatDoNotFitOrAreSpelledTooLong) {
  FrameReader too_large("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  too_large.number();
  EXPECT_TRUE(too_large.failed());
  FrameReader too_long(std::string_view("\x81\x00", 2));
  too_long.number();
  EXPECT_TRUE(too_long.failed());
}

}  // namespace
}  // namespace hipcache::inputs
