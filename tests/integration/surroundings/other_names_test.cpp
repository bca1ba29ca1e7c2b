// Links named like other caches, for builds that look for no other name.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::HasSubstr;

class OtherNames : public SingleCompile {
 protected:
  OtherNames() {
    for (const char* name : {"ccache", "sccache"}) {
      project_.link(std::string("links/") + name, hipcache_program());
      script(std::string("real/") + name, "echo ran >> " + (project_ / "ran"));
    }
  }

  std::string script(const std::string& name, const std::string& body) const {
    std::string path = project_.write(name, "#!/bin/sh\n" + body + "\n");
    EXPECT_EQ(chmod(path.c_str(), 0755), 0);
    return path;
  }

  // By a link, with the links before the programs of the same names in PATH.
  Ended run(const std::string& name, const Arguments& words) const {
    const std::string path = (project_ / "links") + ":" + (project_ / "real") + ":" + getenv("PATH");
    return integration::run(Arguments{(project_ / "links/") + name} + words, project_.path(),
                            cache_.variables({{"PATH", path}}));
  }
};

TEST_P(OtherNames, ServeCompilesAndNeverTheOtherCache) {
  ASSERT_EQ(run("ccache", command()).exit_code, 0);
  ASSERT_EQ(run("sccache", command()).exit_code, 0);
  EXPECT_EQ(cache_.counts().misses, 1);
  EXPECT_EQ(cache_.counts().hits, 1);
  EXPECT_EQ(support::read_bytes(project_ / "a.o"), expected_object(command()));
  EXPECT_FALSE(support::exists(project_ / "ran"));
  EXPECT_THAT(run("ccache", {"-s"}).out, HasSubstr("  Hits: "));
  EXPECT_THAT(run("sccache", {"--show-stats"}).out, HasSubstr("Cache hits "));
  EXPECT_EQ(run("sccache", {"--stop-server"}).exit_code, 0);
}

// The wrapper's compile is a request of its own. --plan asks about it, and compiles nothing.
TEST_P(OtherNames, WithinAWrapperAreHipcacheToo) {
  Arguments wrapped = command();
  wrapped.front() = script("wrapper/" + GetParam().program(), "exec ccache " + GetParam().program() + " \"$@\"");
  const Ended plan = run("ccache", Arguments{"--plan", "--"} + wrapped);
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("device gfx906"));
  EXPECT_FALSE(support::exists(project_ / "a.o"));
  for (const int expected : {0, 1}) {
    ASSERT_EQ(run("sccache", wrapped).exit_code, 0);
    EXPECT_EQ(cache_.counts().hits, expected);
  }
  EXPECT_EQ(cache_.counts().hit["device"], 2);
  EXPECT_FALSE(support::exists(project_ / "ran"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, OtherNames, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
