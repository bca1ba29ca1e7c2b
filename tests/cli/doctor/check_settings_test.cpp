#include "cli/doctor/check_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache::cli {
namespace {

using testing::HasSubstr;

Examination examine(std::vector<std::string> variables) {
  variables.emplace_back("HOME=/h");
  Examination examination(variables);
  check_settings(examination);
  return examination;
}

std::string all(const Examination& examination) {
  std::string lines;
  for (const Finding& finding : examination.findings.all()) lines += to_line(finding);
  return lines;
}

TEST(CheckSettings, ValidOnesAreOkAndNamed) {
  EXPECT_EQ(all(examine({})), "ok       settings: all are at their defaults\n");
  EXPECT_EQ(all(examine({"HIPCACHE_JOBS=3", "HIPCACHE_MAX_SIZE=5G"})),
            "ok       settings are valid; given are max_size, jobs\n");
}

TEST(CheckSettings, AnInvalidOneIsAnError) {
  const Examination examination = examine({"HIPCACHE_JOBS=many"});
  EXPECT_TRUE(examination.findings.has_error());
  EXPECT_THAT(all(examination), HasSubstr("error    HIPCACHE_JOBS: \"many\" is not a number"));
}

TEST(CheckSettings, AnUnknownKeyOfTheFileIsAnErrorWithTheKeyThatMayBeMeant) {
  const support::Scratch scratch;
  const Examination examination = examine({"HIPCACHE_CONFIG=" + scratch.write("h.toml", "maxsize = '5G'\n")});
  EXPECT_THAT(all(examination), HasSubstr("is max_size meant?"));
  EXPECT_TRUE(examination.findings.has_error());
}

TEST(CheckSettings, AMissingFileIsAWarning) {
  EXPECT_THAT(all(examine({"HIPCACHE_CONFIG=/none/h.toml"})), HasSubstr("warning  HIPCACHE_CONFIG names /none/h.toml"));
}

TEST(CheckSettings, ARelativeCacheDirectoryIsAWarning) {
  EXPECT_THAT(all(examine({"HIPCACHE_DIR=cache"})),
              HasSubstr("warning  HIPCACHE_DIR is cache: each working directory"));
  EXPECT_EQ(examine({"HIPCACHE_DIR=/cache"}).findings.count(Level::warning), 0u);
}

TEST(CheckSettings, ConflictsAreWarningsAndForgottenSwitchesNotes) {
  EXPECT_THAT(all(examine({"HIPCACHE_READONLY=1", "HIPCACHE_RECACHE=1"})), HasSubstr("warning  readonly and recache"));
  EXPECT_THAT(all(examine({"HIPCACHE_READONLY=1"})), HasSubstr("note     readonly is set"));
}

TEST(CheckSettings, AnotherCacheThatABuildToolWouldUseIsAWarning) {
  EXPECT_THAT(all(examine({"CXX=ccache g++"})), HasSubstr("warning  CXX is ccache g++: another cache is in the way"));
  EXPECT_THAT(all(examine({"CMAKE_HIP_COMPILER_LAUNCHER=/usr/bin/sccache"})), HasSubstr("another cache"));
  EXPECT_EQ(examine({"CXX=g++", "CC=hipcache gcc"}).findings.count(Level::warning), 0u);
}

}  // namespace
}  // namespace hipcache::cli
