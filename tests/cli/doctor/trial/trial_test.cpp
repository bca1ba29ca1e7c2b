#include "cli/doctor/trial/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hipcache/config/remote_url.h"

namespace hipcache::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(OnlyRead, HasTheModeInPlaceOfAnyOther) {
  EXPECT_EQ(only_read("http://h/"), "http://h/?mode=ro");
  EXPECT_EQ(only_read("http://h/?mode=rw"), "http://h/?mode=ro");
  EXPECT_EQ(only_read("http://h/?timeout=1s&mode=wo&prefix=p"), "http://h/?timeout=1s&prefix=p&mode=ro");
  for (const char* url : {"file:///c", "redis://h/3?user=u", "s3://bucket/p?region=r&mode=rw"}) {
    const Result<config::RemoteUrl> parsed = config::parse_remote_url(only_read(url));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(parsed->reads && !parsed->writes);
  }
}

TEST(Trials, HaveACacheOfTheirOwnAndOfTheSettingsThoseForCompilers) {
  config::Settings settings;
  settings.compilers = {"mpicxx=gcc"};
  settings.remote = {"file:///shared", "file:///written?mode=wo"};
  settings.readonly = true;
  const Result<Trial> trial = Trial::make("/usr/bin/env", settings);
  ASSERT_TRUE(trial) << trial.error().message;
  const std::string environment = trial->run({}).value().out;
  EXPECT_THAT(environment, HasSubstr("HIPCACHE_COMPILERS=mpicxx=gcc\n"));
  EXPECT_THAT(environment, HasSubstr("HIPCACHE_REMOTE=file:///shared?mode=ro\n"));
  EXPECT_THAT(environment, HasSubstr("HIPCACHE_CONFIG=/dev/null\n"));
  EXPECT_THAT(environment, Not(HasSubstr("HIPCACHE_READONLY")));
  EXPECT_THAT(environment, testing::ContainsRegex("HIPCACHE_DIR=/.*/cache\n"));
}

}  // namespace
}  // namespace hipcache::cli
