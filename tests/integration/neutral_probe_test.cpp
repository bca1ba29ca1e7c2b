// Units that differ in their names alone share one question to the driver. The oracle checks every compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::HasSubstr;

class NeutralProbe : public SingleCompile {
 protected:
  NeutralProbe() {
    for (const char* name : {"b.hip", "sub/c.hip", "a b.hip", "d.cu"}) write_kernel(project_, name);
  }

  Arguments unit(const std::string& source, const std::string& object, const std::string& flags = "-O1") const {
    return GetParam().hip() + archs({"gfx906", "gfx1030"}) + words(flags) + Arguments{"-c", source, "-o", object};
  }

  // How often the driver was asked.
  std::int64_t asked(const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
    EXPECT_EQ(counted.errors, 0) << counted.json.dump();
    return counted.run.at("probe");
  }
};

TEST_P(NeutralProbe, IsSharedByUnitsOfTheSameOptions) {
  EXPECT_EQ(asked(unit("a.hip", "a.o")), 1);
  EXPECT_EQ(asked(unit("b.hip", "sub/b.o")), 0);
  EXPECT_EQ(asked(unit("sub/c.hip", "c.o")), 0);
  EXPECT_EQ(asked(unit("b.hip", "b.o", "-O2")), 1) << "other options";
  EXPECT_EQ(asked(unit(project_ / "b.hip", "again.o")), 0);
  EXPECT_EQ(asked(unit("b.hip", project_ / "absolute.o")), 1) << "the driver may tell absolute names from others";
  EXPECT_EQ(asked(unit("d.cu", "d.o")), 1) << "it may tell endings";
}

TEST_P(NeutralProbe, IsSharedByUnitsWithAbsoluteNames) {
  EXPECT_EQ(asked(unit(project_ / "a.hip", project_ / "a.o")), 1);
  EXPECT_EQ(asked(unit(project_ / "sub/c.hip", project_ / "sub/c.o")), 0);
}

TEST_P(NeutralProbe, NamesDepfilesAndTargetsAsTheCompilerDoes) {
  EXPECT_EQ(asked(unit("a.hip", "a.o", "-MD")), 1);
  EXPECT_EQ(asked(unit("b.hip", "sub/b.x.o", "-MD")), 0);
  EXPECT_EQ(asked(unit("a.hip", "a.o", "-MD -MF a.dep -MT a.o")), 1);
  EXPECT_EQ(asked(unit("b.hip", "b.o", "-MD -MF sub/b.o.d -MT x/b.o")), 0);
  EXPECT_EQ(asked(unit("a.hip", "a.o", "-MMD -MQ a.o")), 1);
  EXPECT_EQ(asked(unit("b.hip", "b.o", "-MMD -MQ sub/other.o")), 0);
}

TEST_P(NeutralProbe, LeavesOtherNamesToTheDriver) {
  EXPECT_EQ(asked(unit("a b.hip", "a.o")), 1);
  EXPECT_EQ(asked(unit("b.hip", "a b.o")), 1);
  EXPECT_EQ(asked(unit("a.hip", "a.o", "-MD -MF a$.d")), 1);
  EXPECT_EQ(asked(unit("b.hip", "b.o", "-MD -MF b$.d")), 1);
}

TEST_P(NeutralProbe, IsAskedAgainIfTheEnvironmentOfTheDriverChanges) {
  EXPECT_EQ(asked(unit("a.hip", "a.o")), 1);
  EXPECT_EQ(asked(unit("b.hip", "b.o"), {{"CPATH", "sub"}}), 1);
  EXPECT_EQ(asked(unit("b.hip", "b.o"), {{"CCC_OVERRIDE_OPTIONS", "# +-DNEW"}}), 1);
  EXPECT_EQ(asked(unit("a.hip", "a.o"), {{"CCC_OVERRIDE_OPTIONS", "# +-DNEW"}}), 0);
  EXPECT_EQ(asked(unit("b.hip", "b.o"), {{"CCC_OVERRIDE_OPTIONS", "# s/-DX/-DY/"}}), 1);
  EXPECT_EQ(asked(unit("a.hip", "a.o"), {{"CCC_OVERRIDE_OPTIONS", "# s/-DX/-DY/"}}), 1) << "it may match a name";
}

TEST_P(NeutralProbe, LeavesAMissingSourceToTheDriver) {
  check(unit("a.hip", "a.o"));
  oracle_.check(unit("none.hip", "a.o"));
  EXPECT_NE(oracle_.exit_code(), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, NeutralProbe, testing::ValuesIn(kCompilers), name_of);

// The driver of compilers/other_compiler.cpp chooses another level for one name.
class AuditOfNeutralProbe : public testing::Test {
 protected:
  AuditOfNeutralProbe() {
    std::filesystem::copy(OTHER_COMPILER, compiler_);
    project_.write("a.hip", "code\n");
  }

  Counts compile(const std::string& object) {
    return oracle_.check(
        {compiler_, "-x", "hip", "--offload-arch=gfx906", "-O2", "--offload-device-only", "-c", "a.hip", "-o", object});
  }

  support::Scratch compilers_;
  const std::string compiler_ = compilers_ / "clang++";
  support::Scratch project_;
  support::Scratch logs_;
  Cache cache_{{{"HIPCACHE_AUDIT", "1"}, {"HIPCACHE_LOG", logs_ / "log"}}};
  Oracle oracle_{cache_, project_.path()};
};

TEST_F(AuditOfNeutralProbe, ComparesThePlanWithThatOfTheUnitsOwnNames) {
  const Counts equal = compile("a.o");
  EXPECT_EQ(equal.run.at("probe"), 1) << "what only compares is not counted";
  EXPECT_EQ(equal.errors, 0);
  const Counts different = compile("fast.o");
  EXPECT_EQ(different.errors, 1);
  EXPECT_THAT(support::read_bytes(logs_ / "log"), HasSubstr("fast.o: the driver plans otherwise under neutral names"));
  EXPECT_EQ(compile("fast.o").errors, 0) << "this daemon asks by own names from now on";
}

}  // namespace
}  // namespace hipcache::integration
