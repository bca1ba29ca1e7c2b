// Dates and times in what is compiled that differ between two runs. For dates that are given see
// fixtures/cases/date.toml.
#include <gtest/gtest.h>

#include <ctime>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

// Today's date in the format of __DATE__.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm broken_down{};
  localtime_r(&now, &broken_down);
  char text[16];
  std::strftime(text, sizeof text, "%b %e %Y", &broken_down);
  return text;
}

class DateStaleness : public Staleness {
 protected:
  // Uses the macro in device and host code, in variables that the compiler keeps.
  void write_use_of(const std::string& macro) const {
    write_kernel(project_, "a.hip", "#include \"built.h\"\n");
    project_.write("built.h", "__attribute__((used)) __device__ const char device_built[] = " + macro +
                                  ";\nextern const char host_built[] = " + macro + ";\n");
  }

  // Without the oracle: the time differs between its two runs.
  void expect_never_stored(const Variables& variables = {}) const {
    Counts before = cache_.counts();
    for (int time = 0; time < 2; ++time) {
      EXPECT_EQ(cache_.run(command(), project_.path(), variables).exit_code, 0);
      const Counts counted = cache_.counts() - before;
      before = cache_.counts();
      EXPECT_EQ(counted.hits, 0);
      EXPECT_EQ(counted.run.at("host"), 1);
      EXPECT_EQ(counted.run.at("device"), 2) << "the device passes expand them too";
      EXPECT_EQ(counted.not_stored.at("clock"), 3);
    }
  }
};

TEST_P(DateStaleness, TimesAndDatesAreNeverStored) {
  write_use_of("__DATE__ __TIME__");
  expect_never_stored();
}

TEST_P(DateStaleness, TheDateIsThatOfTheCompile) {
  write_use_of("__DATE__");
  for (int time = 0; time < 2; ++time) {
    const std::string before = today();
    EXPECT_EQ(cache_.run(command(), project_.path()).exit_code, 0);
    const std::string after = today();
    const std::string object = support::read_bytes(project_ / "a.o");
    EXPECT_TRUE(object.find(before) != std::string::npos || object.find(after) != std::string::npos) << before;
  }
}

TEST_P(DateStaleness, ADateThatIsGivenIsUnknownToClang15) {
  if (!clang15()) GTEST_SKIP() << "this clang takes it";
  project_.write("parts.h", "#define JOIN(a, b) a##b\n#define DATE_OF(part) JOIN(__, part##TE__)\n");
  for (const std::string macro : {"__DATE__ __TIME__", "__TIMESTAMP__", "DATE_OF(DA)"}) {
    write_use_of(macro);
    write_kernel(project_, "a.hip", "#include \"parts.h\"\n#include \"built.h\"\n");
    expect_never_stored({{"SOURCE_DATE_EPOCH", "1000000000"}});
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, DateStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
