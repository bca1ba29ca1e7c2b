// Ids of translation units.
#include <gtest/gtest.h>

#include <string>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

using CuidStaleness = Staleness;

// A kernel whose code a header's macro decides, as a template by macro has it. The source does not have the macro.
class RelocatableCuid : public Staleness {
 protected:
  RelocatableCuid() {
    write_kernel(project_, "a.hip", "#include \"mode.h\"\n__device__ int mode() { return VALUE; }\n");
    project_.write("mode.h", "#if MODE == 2\n#define VALUE 2\n#else\n#define VALUE 1\n#endif\n");
  }

  std::string cuid(const Arguments& argv, const Variables& variables = {}) const {
    return cache_.plan(argv, project_.path(), variables).at("cuid");
  }

  // Two values of the macro have two ids, each compile is stored, and neither displaces the other.
  void expect_two_ids(const Arguments& one, const Arguments& two, const Variables& first, const Variables& second) {
    EXPECT_NE(cuid(one, first), cuid(two, second));
    warm(one, first);
    const Counts other = check(two, second);
    EXPECT_EQ(other.run.at("device"), 2);
    EXPECT_EQ(other.run.at("host"), 1);
    expect_hit(one, first);
    expect_hit(two, second);
  }

  void expect_two_ids(const Variables& variables, const std::string& flags = "") {
    expect_two_ids(command("-O1 -DMODE=1 " + flags), command("-O1 -DMODE=2 " + flags), variables, variables);
  }
};

TEST_P(RelocatableCuid, HasMacrosThatOnlyHeadersHave) { expect_two_ids({}, "-fgpu-rdc"); }

TEST_P(RelocatableCuid, HasThemToIfAVariableMakesTheCodeRelocatable) {
  expect_two_ids({{"CCC_OVERRIDE_OPTIONS", "# +-fgpu-rdc"}});
}

TEST_P(RelocatableCuid, HasThemToIfAFileOfOptionsMakesTheCodeRelocatable) {
  project_.write("relocatable.cfg", "-fgpu-rdc\n");
  expect_two_ids({}, "--config " + project_ / "relocatable.cfg");
}

TEST_P(RelocatableCuid, HasMacrosAndSearchPathsThatVariablesAdd) {
  const auto with = [](const std::string& more) {
    return Variables{{"CCC_OVERRIDE_OPTIONS", "# +-fgpu-rdc +" + more}};
  };
  expect_two_ids(command(), command(), with("-DMODE=1"), with("-DMODE=2"));
  project_.write("include/unused.h", "");
  EXPECT_NE(cuid(command(), with("-DMODE=1")), cuid(command(), with("-DMODE=1 +-Iinclude")));
}

TEST_P(RelocatableCuid, IsTheSameForMoreArchitectures) {
  const Arguments more = command("-O1 -fgpu-rdc --offload-arch=gfx90a");
  EXPECT_EQ(cuid(command("-O1 -fgpu-rdc")), cuid(more));
  warm(command("-O1 -fgpu-rdc -DMODE=1"));
  const Counts added = check(command("-O1 -fgpu-rdc -DMODE=1 --offload-arch=gfx90a"));
  EXPECT_EQ(added.run.at("device"), 1);
  EXPECT_EQ(added.run.at("host"), 0);
}

TEST_P(RelocatableCuid, IsGivenOnlyIfTheDriverSaysSo) {
  project_.write("include-rdc/unused.h", "");
  for (const std::string flags : {"-O1 -fno-gpu-rdc", "-O2 -fgpu-rdc -fno-gpu-rdc", "-O3 -Iinclude-rdc"}) {
    SCOPED_TRACE(flags);
    warm(command(flags + " -DCOMMIT=1"));
    expect_hit(command(flags + " -DCOMMIT=2"));
  }
  const Variables off{{"CCC_OVERRIDE_OPTIONS", "# x-fgpu-rdc"}};
  warm(command("-O0 -fgpu-rdc -DCOMMIT=1"), off);
  expect_hit(command("-O0 -fgpu-rdc -DCOMMIT=2"), off);
}

// clang names code for one side alone by the source's inode, so a stored object may not fit the other side's.
TEST_P(RelocatableCuid, OfOneSideAloneIsNotCachedIfAVariableMakesTheCodeRelocatable) {
  if (std::stoi(GetParam().version) > 21) GTEST_SKIP() << "this clang gives the host alone an id";
  expect_passed("random-cuid", command("-O1 --offload-host-only"), {{"CCC_OVERRIDE_OPTIONS", "# +-fgpu-rdc"}});
}

// With HIPCACHE_CUID=keep the compiler makes the id of its whole command.
TEST_P(CuidStaleness, OfTheCompilersOwnHasAllMacros) {
  const Variables keep{{"HIPCACHE_CUID", "keep"}};
  for (const char* value : {"1", "2"}) EXPECT_EQ(check(command("-O1 -DUNUSED=" + std::string(value)), keep).misses, 1);
  EXPECT_EQ(check(command("-O1 -DUNUSED=1"), keep).hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, RelocatableCuid, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, CuidStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
