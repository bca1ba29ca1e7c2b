// Options that name files (-include, response files) or reach one pass alone (-Xarch_): the files and the values.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const Steps kAll{.device = 2, .bundle = 1, .host = 1};
const Steps kAllAndProbe{.device = 2, .bundle = 1, .host = 1, .probe = 1};

class OptionStaleness : public Staleness {
 protected:
  OptionStaleness() {
    write_kernel(project_, "a.hip",
                 "#ifndef VALUE\n#define VALUE 0\n#endif\n__device__ int value = VALUE;\nint host_value = VALUE;\n");
    project_.write("forced.h", "#define VALUE 1\n");
  }

  // With an id of the user's, so that a changed argument changes only what it says.
  Arguments with(const std::string& flags) const { return command("-O1 -cuid=chosen " + flags); }

  // Expects that the header which the option names is an input of these steps.
  void expect_header_of(const std::string& flags, const Steps& steps) {
    warm(with(flags));
    rewrite_unnoticed("forced.h", "#define VALUE 2\n");
    expect_runs(steps, with(flags));
    rewrite_unnoticed("forced.h", "#define VALUE 1\n");
    expect_hit(with(flags));
  }

  // Expects that another value for the option runs these steps.
  void expect_macro_of(const std::string& option, const Steps& steps) {
    warm(with(option + "-DVALUE=1"));
    expect_runs(steps, with(option + "-DVALUE=2"));
    expect_hit(with(option + "-DVALUE=1"));
  }
};

TEST_P(OptionStaleness, AForcedHeaderIsAnInput) { expect_header_of("-include forced.h", kAll); }

TEST_P(OptionStaleness, AHeaderOfMacrosIsAnInput) { expect_header_of("-imacros forced.h", kAll); }

TEST_P(OptionStaleness, AForcedHeaderThatAppearsEarlierIsFound) {
  project_.write("late/only.h", "#define VALUE 1\n");
  warm(with("-Ilate -include only.h"));
  project_.write("only.h", "#define VALUE 2\n");
  expect_runs(kAll, with("-Ilate -include only.h"));
  fs::remove(project_ / "only.h");
  expect_hit(with("-Ilate -include only.h"));
}

TEST_P(OptionStaleness, APrecompiledHeaderThatAppearsBesideAForcedOneIsTakenAsTheCompilerTakesIt) {
  warm(with("-include forced.h"));
  for (const char* name : {"forced.h.pch", "forced.h.gch"}) {
    project_.write(name, "not precompiled at all");
    EXPECT_EQ(oracle_.check(with("-include forced.h")).run.at("probe"), 1);
    fs::remove(project_ / name);
  }
  expect_hit(with("-include forced.h"));
}

TEST_P(OptionStaleness, AForcedHeaderOfTheDevicesIsAnInputOfThemAlone) {
  expect_header_of("-Xarch_device -includeforced.h", {.device = 2, .bundle = 1});
}

TEST_P(OptionStaleness, AForcedHeaderOfTheHostIsAnInputOfItAlone) {
  expect_header_of("-Xarch_host -includeforced.h", {.host = 1});
}

TEST_P(OptionStaleness, AForcedHeaderOfOneArchIsAnInputOfItAlone) {
  expect_header_of("-Xarch_gfx906 -includeforced.h", {.device = 1, .bundle = 1, .arch = "gfx906"});
}

TEST_P(OptionStaleness, AForcedHeaderOfTheFrontendIsAnInput) {
  expect_header_of("-Xclang -include -Xclang forced.h", kAll);
}

TEST_P(OptionStaleness, AForcedHeaderOfThePreprocessorIsAnInput) {
  expect_header_of("-Xpreprocessor -include -Xpreprocessor forced.h", kAll);
}

TEST_P(OptionStaleness, AForcedHeaderOfTheCommaFormIsAnInput) { expect_header_of("-Wp,-include,forced.h", kAll); }

TEST_P(OptionStaleness, AMacroIsAnInput) { expect_macro_of("", kAllAndProbe); }

TEST_P(OptionStaleness, AMacroOfTheDevicesRunsThem) {
  expect_macro_of("-Xarch_device ", {.device = 2, .bundle = 1, .probe = 1});
}

TEST_P(OptionStaleness, AMacroOfTheHostRunsIt) { expect_macro_of("-Xarch_host ", {.host = 1, .probe = 1}); }

TEST_P(OptionStaleness, AMacroOfOneArchRunsIt) {
  expect_macro_of("--no-offload-arch=gfx1030 --offload-arch=gfx90a -Xarch_gfx90a ",
                  {.device = 1, .bundle = 1, .probe = 1, .arch = "gfx90a"});
}

TEST_P(OptionStaleness, AMacroOfTheFrontendIsAnInput) { expect_macro_of("-Xclang ", kAllAndProbe); }

TEST_P(OptionStaleness, AMacroOfThePreprocessorIsAnInput) { expect_macro_of("-Xpreprocessor ", kAllAndProbe); }

TEST_P(OptionStaleness, AMacroOfTheCommaFormIsAnInput) { expect_macro_of("-Wp,", kAllAndProbe); }

TEST_P(OptionStaleness, TheOrderOfMacrosIsAnInput) {
  warm(with("-DVALUE=1 -UVALUE"));
  expect_runs(kAllAndProbe, with("-UVALUE -DVALUE=1"));
}

TEST_P(OptionStaleness, AnArgumentMovedFromOneSideToTheOtherIsSeen) {
  warm(with("-Xarch_host -DVALUE=1 -Xarch_device -DVALUE=2"));
  expect_runs(kAllAndProbe, with("-Xarch_device -DVALUE=1 -Xarch_host -DVALUE=2"));
}

TEST_P(OptionStaleness, AResponseFileIsAnInputByWhatItSays) {
  project_.write("outer.rsp", "-I. @inner.rsp");
  project_.write("inner.rsp", "-DVALUE=1");
  warm(with("@outer.rsp"));
  rewrite_unnoticed("inner.rsp", "-DVALUE=2");
  expect_runs(kAllAndProbe, with("@outer.rsp"));
  project_.write("inner.rsp", "-Xarch_host -DVALUE=2 -DVALUE=1");
  expect_runs({.host = 1, .probe = 1}, with("@outer.rsp"));
  project_.write("inner.rsp", "-DVALUE=1");
  expect_hit(with("@outer.rsp"));
  fs::last_write_time(project_ / "outer.rsp", fs::file_time_type::clock::now());
  expect_hit(with("@outer.rsp"));
}

TEST_P(OptionStaleness, AHeaderOfAResponseFileIsAnInput) {
  project_.write("a.rsp", "-include forced.h");
  expect_header_of("@a.rsp", kAll);
}

TEST_P(OptionStaleness, AnOverlayOfTheFileSystemIsAnInputAndSoIsWhatItShows) {
  const auto overlay = [&](const std::string& name) {
    return "{'version':0,'roots':[{'name':'" + project_ / "shown" +
           "','type':'directory','contents':[{'name':'only.h','type':'file','external-contents':'" + project_ / name +
           "'}]}]}\n";
  };
  project_.write("o.h", "#define VALUE 1\n");
  project_.write("t.h", "#define VALUE 2\n");
  project_.write("overlay.yaml", overlay("o.h"));
  const Arguments argv = with("-ivfsoverlay overlay.yaml -Ishown -include " + project_ / "shown/only.h");
  warm(argv);
  rewrite_unnoticed("o.h", "#define VALUE 3\n");
  expect_runs(kAll, argv);
  rewrite_unnoticed("overlay.yaml", overlay("t.h"));
  expect_runs(kAll, argv);
}

INSTANTIATE_TEST_SUITE_P(Compilers, OptionStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
