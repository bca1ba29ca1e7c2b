// Dates and times in what is compiled.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

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

  void set_time(const std::string& name, std::int64_t hours) const {
    fs::last_write_time(project_ / name, fs::file_time_type::clock::now() - std::chrono::hours(hours));
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

TEST_P(DateStaleness, ADateThatIsGivenIsAnInput) {
  write_use_of("__DATE__ __TIME__");
  if (clang15()) return expect_never_stored({{"SOURCE_DATE_EPOCH", "1000000000"}});  // does not know the variable
  warm(command(), {{"SOURCE_DATE_EPOCH", "1000000000"}});
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 0}, command(), {{"SOURCE_DATE_EPOCH", "1100000000"}});
  expect_hit(command(), {{"SOURCE_DATE_EPOCH", "1000000000"}});
}

// The macro's name does not occur in any source.
TEST_P(DateStaleness, ADateWhoseNameAMacroMakesOfPartsIsAnInput) {
  write_use_of("DATE_OF(DA)");
  project_.write("a.hip", "#define JOIN(a, b) a##b\n#define DATE_OF(part) JOIN(__, part##TE__)\n" +
                              support::read_bytes(project_ / "a.hip"));
  if (clang15()) return expect_never_stored({{"SOURCE_DATE_EPOCH", "1000000000"}});
  warm(command(), {{"SOURCE_DATE_EPOCH", "1000000000"}});
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 0}, command(), {{"SOURCE_DATE_EPOCH", "1100000000"}});
  expect_hit(command(), {{"SOURCE_DATE_EPOCH", "1000000000"}});
}

// __TIMESTAMP__ is the file's own time, but in the local time zone, which counts as a use of the clock.
TEST_P(DateStaleness, AFilesOwnTimeIsReadAnewEachTime) {
  write_use_of("__TIMESTAMP__");
  set_time("built.h", 48);
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 1}, command());
  expect_runs({.device = 2, .host = 1}, command());
  set_time("built.h", 24);
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
}

TEST_P(DateStaleness, AFilesOwnTimeIsNoneWhereADateIsGiven) {
  const Variables given{{"SOURCE_DATE_EPOCH", "1000000000"}};
  write_use_of("__TIMESTAMP__");
  if (clang15()) return expect_never_stored(given);
  warm(command(), given);
  set_time("built.h", 24);
  expect_hit(command(), given);
}

INSTANTIATE_TEST_SUITE_P(Compilers, DateStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
