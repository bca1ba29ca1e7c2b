#include "hipcache/base/log.h"

#include <gmock/gmock.h>

#include "support/scratch.h"

namespace hipcache {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LogLimitTest : public testing::Test {
 protected:
  std::vector<std::string> admit(std::string_view line) { return limit_.admit(line, now_); }

  LogLimit limit_;
  LogLimit::Time now_ = LogLimit::Time(1h);
};

TEST_F(LogLimitTest, WritesALineOnceInAWindowAndSaysHowOftenItWasLeftOut) {
  EXPECT_THAT(admit("trouble"), ElementsAre("trouble"));
  for (int time = 0; time < 500; ++time) EXPECT_THAT(admit("trouble"), IsEmpty());
  EXPECT_THAT(admit("other"), ElementsAre("other"));
  now_ += LogLimit::kWindow;
  EXPECT_THAT(admit("trouble"), ElementsAre("500 more of: trouble", "trouble"));
  EXPECT_THAT(limit_.rest(), IsEmpty());
}

TEST_F(LogLimitTest, BoundsLinesThatAllDiffer) {
  std::size_t written = 0;
  for (int line = 0; line < 1000; ++line) written += admit(std::to_string(line)).size();
  EXPECT_EQ(written, LogLimit::kLinesInAWindow);
  now_ += LogLimit::kWindow;
  EXPECT_THAT(admit("later"), ElementsAre("900 more lines were left out", "later"));
}

TEST_F(LogLimitTest, SaysAtTheEndWhatWasLeftOutAndDidNotComeAgain) {
  admit("trouble");
  admit("trouble");
  EXPECT_THAT(limit_.rest(), ElementsAre("1 more of: trouble"));
}

TEST(LogOfRepeatedTrouble, IsBoundedAndSaysHowMuchThereWas) {
  const support::Scratch scratch;
  {
    Log log(scratch / "log");
    for (int time = 0; time < 5000; ++time) log.warning("cannot accept");
    for (int time = 0; time < 3; ++time) log.info("asked for");
  }
  const std::string text = support::read_bytes(scratch / "log");
  EXPECT_THAT(text, HasSubstr("more of: cannot accept"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 20) << text;
  std::size_t asked = 0;
  for (std::size_t at = text.find("asked for"); at != std::string::npos; at = text.find("asked for", at + 1)) ++asked;
  EXPECT_EQ(asked, 3u);
}

}  // namespace
}  // namespace hipcache
