#include "hipcache/base/log.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache {
namespace {

TEST(Log, AppendsALinePerEventAndDropsWhatIsBelowItsThreshold) {
  const support::Scratch scratch;
  {
    Log log(scratch / "log");
    log.debug("too fine");
    log.warning("a blob did not match");
  }
  const std::string text = support::read_bytes(scratch / "log");
  EXPECT_NE(text.find("warning a blob did not match\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("too fine"), std::string::npos) << text;
}

TEST(Log, SaysWhichLevelsGoAnywhere) {
  const support::Scratch scratch;
  const Log log(scratch / "log", Log::Level::warning);
  EXPECT_FALSE(log.takes(Log::Level::info));
  EXPECT_TRUE(log.takes(Log::Level::warning));
  EXPECT_FALSE(Log().takes(Log::Level::error));
}

TEST(Log, TakesBracesAsTheyAre) {
  const support::Scratch scratch;
  Log(scratch / "log").error("{} {0} %s");
  EXPECT_NE(support::read_bytes(scratch / "log").find("{} {0} %s"), std::string::npos);
}

TEST(Log, ThatCannotBeWrittenIsNoLogAndNoError) {
  Log log("/proc/no/such/log");
  log.error("lost");
  Log().error("lost");
}

}  // namespace
}  // namespace hipcache
