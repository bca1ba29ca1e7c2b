// What compiles say about wrong settings. The compiler's own messages stay as they are.
#include <gmock/gmock.h>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::HasSubstr;

class Notices : public SingleCompile {
 protected:
  // With a place of the test's own for what was said lately.
  Ended compile(Variables variables) {
    variables.try_emplace("XDG_RUNTIME_DIR", project_.make_directory("run"));
    return cache_.run(command("-O1 -Wall"), project_.path(), variables);
  }

  void write_source_with_a_warning() const {
    write_kernel(project_, "a.hip", "int warned() { int unused; return 1; }\n");
  }
};

TEST_P(Notices, AMisspeltVariableIsSaidOnceAndNeverOfAHit) {
  write_source_with_a_warning();
  const Variables misspelt{{"HIPCACHE_MAXSIZE", "5G"}};
  const std::string notice = "hipcache: HIPCACHE_MAXSIZE is no variable of hipcache; is HIPCACHE_MAX_SIZE meant?\n";
  const Ended first = compile(misspelt);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  ASSERT_TRUE(first.err.starts_with(notice)) << first.err;
  const std::string warnings = first.err.substr(notice.size());
  EXPECT_THAT(warnings, HasSubstr("warning: unused variable"));
  const Counts before = cache_.counts();
  const Variables anew{{"HIPCACHE_MAXSIZE", "5G"}, {"XDG_RUNTIME_DIR", project_.make_directory("another")}};
  EXPECT_EQ(compile(anew).err, warnings) << "of a hit";
  EXPECT_EQ((cache_.counts() - before).hits, 1);
  EXPECT_EQ(cache_
                .run(command("-O2 -Wall"), project_.path(),
                     {{"HIPCACHE_MAXSIZE", "5G"}, {"XDG_RUNTIME_DIR", project_ / "run"}})
                .err,
            warnings)
      << "of a second miss";
}

TEST_P(Notices, ASettingOfTheDaemonIsComparedWithTheOneThatRuns) {
  EXPECT_EQ(compile({{"HIPCACHE_MAX_SIZE", "7G"}}).err, "") << "the daemon starts with it";
  const Ended other =
      cache_.run(command("-O2"), project_.path(), {{"HIPCACHE_MAX_SIZE", "8G"}, {"XDG_RUNTIME_DIR", project_ / "run"}});
  EXPECT_THAT(other.err, HasSubstr("hipcache: HIPCACHE_MAX_SIZE is 8G, but the running daemon uses 7G;"));
}

TEST_P(Notices, ACacheDirectoryThatCannotBeUsedIsSaid) {
  const std::string file = project_.write("file", "");
  const Variables variables{{"HIPCACHE_DIR", file + "/cache"}};
  EXPECT_THAT(compile(variables).err, HasSubstr("hipcache: compiles run without the cache: "));
  EXPECT_EQ(compile(variables).err, "");
}

INSTANTIATE_TEST_SUITE_P(Compilers, Notices, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
