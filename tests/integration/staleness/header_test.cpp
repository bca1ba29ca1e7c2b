// Headers: edited, replaced, behind links, under several names, seen by one pass alone.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const Steps kAll{.device = 2, .bundle = 1, .host = 1};

class HeaderStaleness : public Staleness {
 protected:
  // A source that includes "value.h" in device and host code, and two texts of equal size for the header.
  HeaderStaleness() {
    write_kernel(project_, "a.hip", "#include \"value.h\"\n");
    project_.write("value.h", one_);
  }

  const std::string one_ = "__device__ int value = 1;\n";
  const std::string two_ = "__device__ int value = 2;\n";
};

// What no compiler decides.
class HeaderStalenessByOneCompiler : public HeaderStaleness {};

TEST_P(HeaderStaleness, AnEditedHeaderRunsEveryStepAndTheFormerOneIsAHit) {
  warm(command());
  project_.write("value.h", two_ + "__device__ int more = 1;\n");
  expect_runs(kAll, command());
  project_.write("value.h", one_);
  expect_hit(command());
}

TEST_P(HeaderStalenessByOneCompiler, AHeaderWithEqualSizeAndModificationTimeIsReadAgain) {
  warm(command());
  rewrite_unnoticed("value.h", two_);
  expect_runs(kAll, command());
}

TEST_P(HeaderStalenessByOneCompiler, AHeaderReplacedByRenameIsReadAgain) {
  warm(command());
  project_.write("new.h", two_);
  fs::last_write_time(project_ / "new.h", fs::last_write_time(project_ / "value.h"));
  fs::rename(project_ / "new.h", project_ / "value.h");
  expect_runs(kAll, command());
}

TEST_P(HeaderStalenessByOneCompiler, AHeaderThatIsTouchedRewrittenOrReplacedByItsEqualIsAHit) {
  warm(command());
  fs::last_write_time(project_ / "value.h", fs::file_time_type::clock::now());
  expect_hit(command());
  project_.write("value.h", two_);
  project_.write("value.h", one_);
  expect_hit(command());
  project_.write("new.h", one_);
  fs::rename(project_ / "new.h", project_ / "value.h");
  expect_hit(command());
}

TEST_P(HeaderStaleness, ADeletedHeaderFailsAsWithTheCompilerAndRestoredItIsAHit) {
  warm(command());
  fs::remove(project_ / "value.h");
  oracle_.check(command());
  EXPECT_EQ(oracle_.exit_code(), 1);
  project_.write("value.h", one_);
  expect_hit(command());
}

TEST_P(HeaderStalenessByOneCompiler, HeadersThatExchangeTheirContentsAreReadAgain) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n#define value other\n#include \"other.h\"\n");
  project_.write("other.h", two_);
  warm(command());
  fs::rename(project_ / "value.h", project_ / "between.h");
  fs::rename(project_ / "other.h", project_ / "value.h");
  fs::rename(project_ / "between.h", project_ / "other.h");
  expect_runs(kAll, command());
}

TEST_P(HeaderStaleness, AHeaderOfAHeaderIsAnInput) {
  project_.write("value.h", "#include \"deep/inner.h\"\n");
  project_.write("deep/inner.h", one_);
  warm(command());
  rewrite_unnoticed("deep/inner.h", two_);
  expect_runs(kAll, command());
}

TEST_P(HeaderStaleness, AHeaderOfTheDevicesAloneRunsTheDevicesAndWhatHoldsTheirCode) {
  write_kernel(project_, "a.hip", "#ifdef __HIP_DEVICE_COMPILE__\n#include \"value.h\"\n#endif\n");
  warm(command("-O1 -MD"));
  rewrite_unnoticed("value.h", two_);
  expect_runs({.device = 2, .bundle = 1}, command("-O1 -MD"));
  project_.write("value.h", two_ + "#define no_other_code\n");
  expect_runs({.device = 2}, command("-O1 -MD"));
}

TEST_P(HeaderStaleness, AHeaderOfOneArchRunsThatArch) {
  write_kernel(project_, "a.hip", "#ifdef __gfx1030__\n#include \"value.h\"\n#endif\n");
  warm(command());
  rewrite_unnoticed("value.h", two_);
  expect_runs({.device = 1, .bundle = 1, .arch = "gfx1030"}, command());
}

TEST_P(HeaderStaleness, AHeaderOfTheHostAloneRunsTheHostAlone) {
  write_kernel(project_, "a.hip", "#ifndef __HIP_DEVICE_COMPILE__\n#include \"host.h\"\n#endif\n");
  project_.write("host.h", "int host_value = 1;\n");
  warm(command());
  project_.write("host.h", "int host_value = 22;\n");
  expect_runs({.host = 1}, command());
}

TEST_P(HeaderStaleness, AHeaderThatNoPassIncludesIsNoInput) {
  write_kernel(project_, "a.hip", "#if 0\n#include \"value.h\"\n#endif\n");
  warm(command("-O1 -MD"));
  project_.write("value.h", two_);
  expect_hit(command("-O1 -MD"));
}

TEST_P(HeaderStaleness, AnEditThatOnlyWarnsIsWarnedOfOnEveryHit) {
  warm(command());
  project_.write("value.h", one_ + "#warning one\n");
  expect_runs({.device = 2, .host = 1}, command());
  expect_hit(command());
  project_.write("value.h", one_ + "#warning two\n");
  expect_runs({.device = 2, .host = 1}, command());
}

TEST_P(HeaderStaleness, TheDepfileNamesWhatTheEditedHeaderIncludes) {
  const Arguments argv = command("-O1 -MD -MF a.d");
  warm(argv);
  project_.write("empty.h", "");
  project_.write("value.h", one_ + "#include \"empty.h\"\n");
  expect_runs({.device = 2, .host = 1}, argv);
  EXPECT_NE(support::read_bytes(project_ / "a.d").find("empty.h"), std::string::npos);
}

TEST_P(HeaderStaleness, AHeaderNamedByAMacroIsTheOneThatTheMacroNamesNow) {
  write_kernel(project_, "a.hip", "#include \"choice.h\"\n#include CHOICE\n");
  project_.write("other.h", two_);
  project_.write("choice.h", "#define CHOICE \"value.h\"\n");
  warm(command());
  rewrite_unnoticed("choice.h", "#define CHOICE \"other.h\"\n");
  expect_runs(kAll, command());
  rewrite_unnoticed("other.h", one_);  // back to the code objects of the first compile
  expect_runs({.device = 2, .host = 1}, command());
}

TEST_P(HeaderStaleness, AHeaderIncludedByItsAbsoluteNameIsAnInput) {
  write_kernel(project_, "a.hip", "#include \"" + project_ / "value.h" + "\"\n");
  warm(command());
  rewrite_unnoticed("value.h", two_);
  expect_runs(kAll, command());
}

TEST_P(HeaderStaleness, AHeaderUnderSeveralSpellingsIsAnInputUnderEach) {
  project_.make_directory("sub");
  write_kernel(project_, "a.hip",
               "#include \"value.h\"\n#define value second\n#include \"./sub/../value.h\"\n#undef value\n");
  warm(command());
  rewrite_unnoticed("value.h", two_);
  expect_runs(kAll, command());
}

TEST_P(HeaderStaleness, OneFileUnderTwoNamesThatBecomesTwoFilesIsSeen) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n#include \"twin.h\"\n");
  project_.write("value.h", "#pragma once\n#ifdef ONCE\n__device__ int twice = 1;\n#endif\n#define ONCE\n");
  fs::create_hard_link(project_ / "value.h", project_ / "twin.h");
  warm(command());
  fs::copy_file(project_ / "value.h", project_ / "copy.h");
  fs::rename(project_ / "copy.h", project_ / "twin.h");
  expect_runs(kAll, command());
}

TEST_P(HeaderStalenessByOneCompiler, ARetargetedLinkToAHeaderIsFollowed) {
  project_.write("one.h", one_);
  project_.write("two.h", two_);
  project_.link("middle.h", "one.h");
  project_.link("value.h", "middle.h");
  warm(command());
  project_.link("middle.h", "two.h");
  expect_runs(kAll, command());
  project_.link("value.h", "one.h");
  // The first content again, but through other links.
  check(command());
  project_.link("value.h", "middle.h");
  project_.link("middle.h", "one.h");
  expect_hit(command());
}

TEST_P(HeaderStalenessByOneCompiler, ARetargetedLinkToADirectoryIsFollowed) {
  write_kernel(project_, "a.hip", "#include \"way/value.h\"\n");
  project_.write("one/value.h", one_);
  project_.write("two/value.h", two_);
  project_.link("way", "one");
  warm(command());
  project_.link("way", "two");
  expect_runs(kAll, command());
}

TEST_P(HeaderStaleness, AHeaderBesideTheTargetOfALinkIsNotTheOneBesideTheLink) {
  // clang looks for the second header beside the name under which it found the first one.
  write_kernel(project_, "a.hip", "#include \"way/first.h\"\n");
  project_.write("one/first.h", "#include \"second.h\"\n");
  project_.write("one/second.h", one_);
  project_.make_directory("way");
  project_.link("way/first.h", "../one/first.h");
  project_.write("second.h", two_);
  const Arguments argv = command("-O1 -Ione");
  warm(argv);
  project_.write("way/second.h", two_);
  expect_runs(kAll, argv);
}

INSTANTIATE_TEST_SUITE_P(Compilers, HeaderStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, HeaderStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
