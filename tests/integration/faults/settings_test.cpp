// Settings of one request, from its own environment.
#include <gtest/gtest.h>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

class RequestSettings : public SingleCompile {};

TEST_P(RequestSettings, DisableRunsTheCompilerWithoutAskingTheDaemon) {
  const Ended ended = cache_.run(command(), project_.path(), {{"HIPCACHE_DISABLE", "1"}});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(support::exists(project_ / "a.o"));
  EXPECT_EQ(cache_.daemon(), 0);
}

TEST_P(RequestSettings, ReadonlyServesWhatIsStoredAndStoresNothing) {
  const Variables readonly{{"HIPCACHE_READONLY", "1"}};
  EXPECT_EQ(check(command(), readonly).misses, 1);
  EXPECT_EQ(check(command(), readonly).misses, 1) << "the first stored nothing";
  EXPECT_EQ(cache_.counts().json.at("store").at("actions"), 0);
  check(command());
  EXPECT_EQ(check(command(), readonly).hits, 1);
}

TEST_P(RequestSettings, RecacheRunsEverythingAndStoresItAnew) {
  check(command());
  const Counts again = check(command(), {{"HIPCACHE_RECACHE", "1"}});
  EXPECT_EQ(again.run.at("device"), 2);
  EXPECT_EQ(again.run.at("host"), 1);
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(RequestSettings, NamespacesShareNothing) {
  check(command(), {{"HIPCACHE_NAMESPACE", "one"}});
  EXPECT_EQ(check(command(), {{"HIPCACHE_NAMESPACE", "two"}}).misses, 1);
  EXPECT_EQ(check(command(), {{"HIPCACHE_NAMESPACE", "one"}}).hits, 1);
}

TEST_P(RequestSettings, ABaseDirectoryMakesTheIdsOfTwoCheckoutsEqual) {
  const auto cuid_in = [this](const std::string& checkout) {
    write_kernel(project_, checkout + "/src/a.hip");
    const std::string directory = project_.make_directory(checkout + "/build");
    const Arguments argv =
        GetParam().hip() + archs({"gfx906"}) + Arguments{"-c", project_ / (checkout + "/src/a.hip"), "-o", "a.o"};
    return cache_.plan(argv, directory, {{"HIPCACHE_BASEDIR", project_ / checkout}}).at("cuid");
  };
  EXPECT_EQ(cuid_in("one"), cuid_in("two"));
}

TEST_P(RequestSettings, AConfigurationFileCountsAsTheVariablesDo) {
  const std::string file = project_.write("config.toml", "readonly = true\nnamespace = \"nightly\"\n");
  const Variables variables{{"HIPCACHE_CONFIG", file}};
  check(command(), variables);
  EXPECT_EQ(check(command(), variables).misses, 1);
  EXPECT_EQ(check(command(), {{"HIPCACHE_CONFIG", file}, {"HIPCACHE_READONLY", "0"}}).misses, 1);
  EXPECT_EQ(check(command(), variables).hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, RequestSettings, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
