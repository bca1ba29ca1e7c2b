// Dates and times in what is compiled.
#include <gtest/gtest.h>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

using DateStaleness = Staleness;

TEST_P(DateStaleness, TimesAndDatesInTheSourceAreNeverStoredUnlessTheyAreGiven) {
  write_kernel(project_, "a.hip", "const char* built = __DATE__ __TIME__;\n");
  const Cache cache;
  const auto compile = [&](const Variables& variables) {
    EXPECT_EQ(cache.run(command(), project_.path(), variables).exit_code, 0);
    return cache.counts();
  };
  compile({});
  const Counts again = compile({});
  EXPECT_EQ(again.hits, 0);
  EXPECT_EQ(again.run.at("host"), 2);
  EXPECT_EQ(again.run.at("device"), 4) << "the device passes expand them too";
  EXPECT_GE(again.not_stored.at("clock"), 2);
  if (GetParam().version == "15") return;  // does not know SOURCE_DATE_EPOCH: the clock counts all the same
  compile({{"SOURCE_DATE_EPOCH", "1000000000"}});
  EXPECT_EQ(compile({{"SOURCE_DATE_EPOCH", "1000000000"}}).hits, 1);
  EXPECT_EQ(compile({{"SOURCE_DATE_EPOCH", "1100000000"}}).hits, 1) << "another date is another result";
}

INSTANTIATE_TEST_SUITE_P(Compilers, DateStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
