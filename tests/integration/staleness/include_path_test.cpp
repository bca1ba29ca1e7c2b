// Where the compiler looks for headers, and what it finds there or does not find.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const Steps kAll{.device = 2, .bundle = 1, .host = 1};
const Steps kDevices{.device = 2, .bundle = 1};
const Steps kAllAndProbe{.device = 2, .bundle = 1, .host = 1, .probe = 1};

class IncludePathStaleness : public Staleness {
 protected:
  IncludePathStaleness() {
    write_kernel(project_, "a.hip", "#include <value.h>\n");
    write_value("late", 1);
  }

  void write_value(const std::string& directory, int value) const {
    project_.write(directory + "/value.h", "__device__ int value = " + std::to_string(value) + ";\n");
  }

  // With an id of the user's, so that a changed argument changes only what it says.
  Arguments with(const std::string& flags) const { return command("-O1 -cuid=chosen " + flags); }

  // Two directories with a "value.h" each. Another order of them gives another result.
  void expect_order_counts(const std::string& one, const std::string& other, const Steps& steps = kAllAndProbe) {
    write_value("early", 2);
    warm(with(one));
    expect_runs(steps, with(other));
    expect_hit(with(one));
  }

  // The directory gets a "value.h" that comes before the one in "late", and loses it again.
  void expect_found_in(const std::string& directory, const Arguments& argv, const Steps& steps = kAll) {
    const bool was_there = support::exists(project_ / directory);
    warm(argv);
    write_value(directory, 2);
    expect_runs(steps, argv);
    // The compiler also looks for the parent of a missing directory.
    fs::remove_all(project_ / (was_there ? directory + "/value.h" : fs::path(directory).begin()->string()));
    expect_hit(argv);
  }
};

// What no compiler decides.
class IncludePathStalenessByOneCompiler : public IncludePathStaleness {};

TEST_P(IncludePathStaleness, AHeaderThatAppearsEarlierIsFound) {
  project_.make_directory("early");
  expect_found_in("early", with("-Iearly -Ilate"));
  project_.write("early/unrelated.h", "");
  expect_hit(with("-Iearly -Ilate"));
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsInADirectoryThatWasNotThereIsFound) {
  expect_found_in("not_yet/there", with("-Inot_yet/there -Ilate"));
}

TEST_P(IncludePathStaleness, ADirectoryThatAppearsOrVanishesWithoutTheHeaderChangesNoCode) {
  warm(with("-Inot_yet -Ilate"));
  project_.make_directory("not_yet");
  // The passes only learn that the directory exists, and make the same code. So they run, but no bundle does.
  expect_runs({.device = 2, .host = 1}, with("-Inot_yet -Ilate"));
  fs::remove(project_ / "not_yet");
  expect_hit(with("-Inot_yet -Ilate"));
}

TEST_P(IncludePathStaleness, ADirectoryInPlaceOfAFileOfThePathIsLookedInto) {
  project_.write("early", "not a directory");
  warm(with("-Iearly -Ilate"));
  fs::remove(project_ / "early");
  write_value("early", 2);
  expect_runs(kAll, with("-Iearly -Ilate"));
}

TEST_P(IncludePathStalenessByOneCompiler, AHeaderThatAppearsBehindALinkToADirectoryIsFound) {
  project_.make_directory("target");
  project_.link("early", "target");
  expect_found_in("target", with("-Iearly -Ilate"));
}

TEST_P(IncludePathStalenessByOneCompiler, ALinkToADirectoryThatIsRetargetedIsLookedInto) {
  write_value("two", 2);
  project_.make_directory("one");
  project_.link("early", "one");
  warm(with("-Iearly -Ilate"));
  project_.link("early", "two");
  expect_runs(kAll, with("-Iearly -Ilate"));
}

TEST_P(IncludePathStalenessByOneCompiler, ADanglingLinkThatLeadsSomewhereNowIsFollowed) {
  project_.make_directory("early");
  project_.link("early/value.h", "../target/value.h");
  warm(with("-Iearly -Ilate"));
  write_value("target", 2);
  expect_runs(kAll, with("-Iearly -Ilate"));
}

TEST_P(IncludePathStaleness, ALinkIntoItselfFailsAsWithTheCompilerAndWithoutItThereIsAHit) {
  project_.make_directory("early");
  warm(with("-Iearly -Ilate"));
  project_.link("early/value.h", "value.h");
  oracle_.check(with("-Iearly -Ilate"));
  EXPECT_EQ(oracle_.exit_code(), 1);
  fs::remove(project_ / "early/value.h");
  expect_hit(with("-Iearly -Ilate"));
}

TEST_P(IncludePathStalenessByOneCompiler, ADirectoryThatIsExchangedForAnotherIsLookedInto) {
  project_.make_directory("early");
  write_value("other", 2);
  warm(with("-Iearly -Ilate"));
  fs::rename(project_ / "early", project_ / "former");
  fs::rename(project_ / "other", project_ / "early");
  expect_runs(kAll, with("-Iearly -Ilate"));
  fs::rename(project_ / "early", project_ / "other");
  fs::rename(project_ / "former", project_ / "early");
  expect_hit(with("-Iearly -Ilate"));
}

TEST_P(IncludePathStaleness, ADirectoryNamedLikeTheHeaderIsPassedOverUntilItIsAHeader) {
  project_.make_directory("early/value.h");
  warm(with("-Iearly -Ilate"));
  fs::remove(project_ / "early/value.h");
  write_value("early", 2);
  expect_runs(kAll, with("-Iearly -Ilate"));
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsForTheDevicesAloneIsFoundByThemAlone) {
  expect_found_in("early", with("-Xarch_device -Iearly -Ilate"), kDevices);
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsForTheHostAloneIsFoundByItAlone) {
  expect_found_in("early", with("-Xarch_host -Iearly -Ilate"), {.host = 1});
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsForOneArchIsFoundByItAlone) {
  expect_found_in("early", with("-Xarch_gfx906 -Iearly -Ilate"), {.device = 1, .bundle = 1, .arch = "gfx906"});
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsForAnIncludeOfTheDevicesIsFoundByThemAlone) {
  write_kernel(project_, "a.hip", "#ifdef __HIP_DEVICE_COMPILE__\n#include <value.h>\n#endif\n");
  project_.make_directory("early");
  expect_found_in("early", with("-Iearly -Ilate"), kDevices);
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsBesideTheSourceIsFound) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n");
  expect_found_in(".", with("-Ilate"));
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsBesideItsIncluderIsFound) {
  write_kernel(project_, "a.hip", "#include \"deep/outer.h\"\n");
  project_.write("deep/outer.h", "#include \"value.h\"\n");
  expect_found_in("deep", with("-Ilate"));
}

TEST_P(IncludePathStaleness, AnOptionalHeaderThatAppearsOrVanishesIsSeen) {
  write_kernel(project_, "a.hip", "#if __has_include(\"optional.h\")\n__device__ int optional = 1;\n#endif\n");
  warm(command());
  project_.write("optional.h", "");
  expect_runs(kAll, command());
  project_.write("optional.h", "#error its text is nobody's business\n");
  check(command());
  fs::remove(project_ / "optional.h");
  expect_hit(command());
}

TEST_P(IncludePathStaleness, AnOptionalHeaderOfOneSideIsSeenByThatSideAlone) {
  write_kernel(project_, "a.hip",
               "#ifndef __HIP_DEVICE_COMPILE__\n#if __has_include(<optional.h>)\nint optional = 1;\n#endif\n#endif\n");
  warm(with("-Ilate"));
  project_.write("late/optional.h", "");
  expect_runs({.host = 1}, with("-Ilate"));
}

TEST_P(IncludePathStaleness, TheNextHeaderIsAnInputAndSoIsOneThatAppearsBetween) {
  project_.write("early/value.h", "#if __has_include_next(<value.h>)\n#include_next <value.h>\n#endif\n");
  expect_found_in("between", with("-Iearly -Ibetween -Ilate"));
}

TEST_P(IncludePathStaleness, TheOrderOfThePathIsAnInput) { expect_order_counts("-Iearly -Ilate", "-Ilate -Iearly"); }

TEST_P(IncludePathStaleness, TheOrderOfThePathOfOneSideIsItsInput) {
  expect_order_counts("-Xarch_host -Iearly -Ilate", "-Xarch_host -Ilate -Iearly -Xarch_device -Iearly",
                      {.device = 2, .bundle = 1, .host = 1, .probe = 1});
}

TEST_P(IncludePathStaleness, AnotherKindOfPathIsAnotherOrder) {
  expect_order_counts("-Iearly -isystem late", "-isystem early -Ilate");
}

TEST_P(IncludePathStaleness, APathForAfterwardsIsLookedIntoAfterwards) {
  expect_order_counts("-idirafter late -isystem early", "-idirafter early -isystem late");
}

TEST_P(IncludePathStaleness, ThePathOfQuotesIsLookedIntoFirstForQuotesAlone) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n");
  expect_order_counts("-iquote early -Ilate", "-Iearly -Ilate -iquote late");
}

TEST_P(IncludePathStaleness, AHeaderThatAppearsOnEachKindOfPathIsFound) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n");
  const Arguments argv = with("-idirafter late -isystem system -Iplain -iquote quoted");
  warm(argv);
  int value = 1;
  for (const char* directory : {"system", "plain", "quoted"}) {
    write_value(directory, ++value);
    expect_runs(kAll, argv);
  }
}

TEST_P(IncludePathStaleness, AHeaderOfTheSystemThatIsTheUsersNowWarns) {
  project_.write("late/value.h", "#warning of a header\n__device__ int value = 1;\n");
  warm(with("-Wall -Wno-error -isystem late"));
  expect_runs({.device = 2, .host = 1, .probe = 1}, with("-Wall -Wno-error -Ilate"));
}

TEST_P(IncludePathStaleness, ThePrefixOfAPathIsAnInput) {
  expect_order_counts("-iprefix early -iwithprefixbefore /.", "-iprefix late -iwithprefixbefore /.");
}

TEST_P(IncludePathStaleness, TheRootOfTheSystemsHeadersIsAnInputAndSoIsWhatAppearsInIt) {
  write_value("one/usr/include", 1);
  write_value("two/usr/include", 2);
  warm(with("--sysroot=one"));
  expect_runs(kAllAndProbe, with("--sysroot=two"));
  write_value("one/usr/local/include", 3);
  const Counts counted = check(with("--sysroot=one"));
  EXPECT_EQ(counted.run.at("device"), 2);
  EXPECT_EQ(counted.run.at("host"), 1);
}

TEST_P(IncludePathStaleness, APathNamedTwiceIsLookedIntoFirst) {
  expect_order_counts("-Iearly -Ilate -Iearly", "-Ilate -Iearly -Ilate");
}

TEST_P(IncludePathStaleness, TheDirectoryItselfOnThePathIsTheOneOfTheCommand) {
  for (const char* directory : {"one", "two"})
    write_kernel(project_, std::string(directory) + "/a.hip", "#include <value.h>\n");
  write_value("one", 1);
  write_value("two", 2);
  for (const char* directory : {"one", "two", "one", "two"})
    Oracle(cache_, project_ / directory).check(command("-O1 -I. -Ilate"));
  EXPECT_EQ(cache_.counts().hits, 2);
}

TEST_P(IncludePathStaleness, TheHeadersOfAnotherHipAreOtherInputs) {
  // Without the standard library, which the compiler's HIP wrapper otherwise includes.
  const auto of = [&](const std::string& flag) {
    return without(without(with("-D__HIPCC_RTC__ " + flag), "-nogpuinc"), "--rocm-path=");
  };
  for (const char* directory : {"one", "two"}) {
    const std::string hip = directory;
    write_value(hip + "/include", hip == "one" ? 1 : 2);
    project_.write(hip + "/share/hip/version", "HIP_VERSION_MAJOR=5\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=1\n");
    fs::create_directories(project_ / hip + "/bin");
    fs::copy_file(project_ / hip + "/share/hip/version", project_ / hip + "/bin/.hipVersion");
  }
  warm(of("--hip-path=one"));
  expect_runs(kAllAndProbe, of("--hip-path=two"));
  rewrite_unnoticed("two/include/value.h", "__device__ int value = 3;\n");
  expect_runs(kAll, of("--hip-path=two"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, IncludePathStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, IncludePathStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
