// Reports that clang's driver itself makes if a variable asks for them: CC_PRINT_OPTIONS and kin.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class DriverReports : public Staleness {
 protected:
  DriverReports() { project_.write("c.cpp", "#include \"own.h\"\nint one(int unused) { return one(2); }\n"); }

  Arguments opaque() const { return {GetParam().program(), "-Wall", "-Wextra", "-c", "c.cpp", "-o", "a.o"}; }

  // The variable alone prints; with _FILE it writes.
  std::vector<Variables> both_ways(const std::string& variable) const {
    return {{{variable, "1"}}, {{variable, "1"}, {variable + "_FILE", project_ / "report"}}};
  }

  struct Report {
    Ended ended;
    std::string file;
  };

  template <typename Run>
  Report report(Run run) const {
    fs::remove(project_ / "report");
    Report made{run(), ""};
    if (fs::exists(project_ / "report")) made.file = support::read_bytes(project_ / "report");
    return made;
  }

  void expect_same_report(const Arguments& argv, const Variables& variables) {
    const Report plain = report([&] { return run(argv, project_.path(), variables); });
    EXPECT_EQ(plain.ended.exit_code, 0) << plain.ended.err;
    for (int time = 0; time < 3; ++time) {
      const Report cached = report([&] { return cache_.run(argv, project_.path(), variables); });
      EXPECT_EQ(cached.ended.exit_code, 0) << cached.ended.err;
      EXPECT_EQ(cached.ended.out, plain.ended.out);
      EXPECT_EQ(cached.ended.err, plain.ended.err);
      EXPECT_EQ(cached.file, plain.file);
    }
  }
};

TEST_P(DriverReports, OfHeadersAndDiagnosticsAreThoseOfTheCompiler) {
  project_.write("own.h", "inline int own() { return 1; }\n");
  write_kernel(project_, "a.hip", "#include \"own.h\"\n#warning \"look here\"\n");
  for (const std::string variable : {"CC_PRINT_HEADERS", "CC_LOG_DIAGNOSTICS"})
    for (const Variables& variables : both_ways(variable))
      for (const Arguments& argv : {command(), opaque()}) {
        SCOPED_TRACE(variable + " " + argv.back() + std::to_string(variables.size()) + argv[1]);
        expect_same_report(argv, variables);
      }
}

TEST_P(DriverReports, OfOneRunPassTheCommandThrough) {
  project_.write("own.h", "");
  for (const std::string variable : {"CC_PRINT_OPTIONS", "CC_PRINT_PROC_STAT"})
    for (const Variables& variables : both_ways(variable))
      for (const Arguments& argv : {command(), opaque()}) {
        SCOPED_TRACE(variable);
        const auto lines = [](const Report& made) {
          const std::string all = made.ended.out + made.ended.err + made.file;
          return std::count(all.begin(), all.end(), '\n');
        };
        const auto plain = lines(report([&] { return run(argv, project_.path(), variables); }));
        EXPECT_GT(plain, 0);
        for (int time = 0; time < 2; ++time) {
          const Counts before = cache_.counts();
          EXPECT_EQ(lines(report([&] { return cache_.run(argv, project_.path(), variables); })), plain);
          Counts counted = cache_.counts() - before;
          EXPECT_EQ(counted.reasons["statistics"], 1) << counted.json.dump();
        }
      }
}

TEST_P(DriverReports, OfOneRunThatAWrapperAsksForAreNotStored) {
  project_.write("own.h", "");
  Arguments argv = opaque();
  argv[0] = project_.write("bin/cc", "#!/bin/sh\nCC_PRINT_PROC_STAT=1; export CC_PRINT_PROC_STAT\nexec " +
                                         GetParam().program() + " \"$@\"\n");
  fs::permissions(argv[0], fs::perms::owner_all);
  for (int time = 0; time < 2; ++time) {
    const Counts before = cache_.counts();
    EXPECT_NE(cache_.run(argv, project_.path()).out, "");
    EXPECT_EQ((cache_.counts() - before).hits, 0);
  }
}

// The probe saw that the variable was not set, so what was stored without it does not count.
TEST_P(DriverReports, AreMadeAlthoughTheCompileWasStoredWithout) {
  warm(command());
  write_kernel(project_, "a.hip");
  const Variables headers{{"CC_PRINT_HEADERS", "1"}};
  expect_same_report(command(), headers);
  expect_hit(command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, DriverReports, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
