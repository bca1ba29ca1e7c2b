// Options that no clang has yet: a small program stands in for the driver of a clang to come. For other options that
// the table of clang 19 lacks see fixtures/cases/newer_options.toml.
#include <gtest/gtest.h>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

class NewerOptions : public SingleCompile {
 protected:
  Arguments unit(const std::string& flags, const std::vector<std::string>& targets = {"gfx906", "gfx1030"}) const {
    return GetParam().hip() + archs(targets) + words(flags) + words("-c a.hip -o a.o");
  }

  Arguments later_driver(const std::string& flags, const std::vector<std::string>& targets) const {
    Arguments command = unit(flags, targets);
    command[0] = project_ / "clang++";
    return command;
  }

  // A driver with the options --made-up VALUE and -fmade-up.
  void make_later_driver() const {
    const Ended made =
        run({"cc", "-w", "-DTOOLS=\"" + GetParam().tools() + "\"",
             HIPCACHE_SOURCE "/tests/integration/support/compilers/later_driver.c", "-o", project_ / "clang++"},
            project_.path());
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
};

TEST_P(NewerOptions, OfADriverToComeMayTakeTheNextWord) {
  make_later_driver();
  write_kernel(project_, "a.hip", "int made_up = MADE_UP + 0;\n");
  const auto counted = [&](const std::string& flags, const std::vector<std::string>& targets) {
    const Counts counts = check(later_driver(flags, targets));
    EXPECT_EQ(counts.passed, 0) << counts.json.dump();
    EXPECT_TRUE(counts.json.at("not_split").empty()) << counts.json.dump();
    return counts;
  };
  EXPECT_EQ(counted("-O1 --made-up 4 -fmade-up", {"gfx906"}).run.at("device gfx906"), 1);
  EXPECT_EQ(counted("-O1 --made-up 4 -fmade-up", {"gfx906"}).hits, 1);
  const Counts more = counted("-O1 --made-up 4 -fmade-up", {"gfx906", "gfx1030"});
  EXPECT_EQ(more.run.at("device gfx906") + more.run.at("host"), 0);
  EXPECT_EQ(more.run.at("device gfx1030"), 1);
  EXPECT_EQ(counted("-O1 --made-up 5 -fmade-up", {"gfx906"}).run.at("host"), 1) << "another value is another compile";
}

TEST_P(NewerOptions, ThatAreRefusedAreNamedInTheStatistics) {
  const Counts counted = oracle_.check(unit("-O1 -save-temps"));
  EXPECT_EQ(counted.json.at("not_split").at("save-temps"), 1);
  EXPECT_EQ(counted.json.at("not_split_detail").at("save-temps"), "-save-temps");
}

INSTANTIATE_TEST_SUITE_P(Compilers, NewerOptions, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
