// hipcache's main job: which change runs which steps again. The oracle checks every compile.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

struct Variant {
  Compiler compiler;
  std::string flags;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.compiler.program() << " " << variant.flags; }

std::string variant_name(const testing::TestParamInfo<Variant>& info) {
  std::string name = "Clang" + info.param.compiler.version;
  for (const char c : info.param.flags)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

class MainJob : public testing::TestWithParam<Variant> {
 protected:
  MainJob() {
    write_kernel(project_, "src/a.hip", "#if defined(__gfx1030__)\n#include \"tuning.h\"\n#endif\n");
    project_.write("src/tuning.h", "__device__ int tuned = 1;\n");
    project_.make_directory("build");
  }

  Arguments command(const Arguments& archs, const std::string& object = "a.o") const {
    return GetParam().compiler.hip() + words(GetParam().flags) + archs +
           Arguments{"-MD", "-MF", object + ".d", "-MT", object, "-c", project_ / "src/a.hip", "-o", object};
  }

  Counts compile(const Arguments& archs) {
    const Counts counted = oracle_.check_cached(command(archs));
    EXPECT_EQ(counted.errors, 0);
    return counted;
  }

  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_ / "build"};
};

const Arguments kTwo = archs({"gfx906", "gfx1030"});
const Arguments kThree = archs({"gfx906", "gfx1030", "gfx90a"});

TEST_P(MainJob, CompilesEveryArchAndTheHostOnceWithAnEmptyCache) {
  const Counts counted = compile(kTwo);
  EXPECT_EQ(counted.run.at("device"), 2);
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_EQ(counted.misses, 1);
}

TEST_P(MainJob, RunsNothingTheSecondTime) {
  compile(kTwo);
  const Counts again = compile(kTwo);
  EXPECT_EQ(again.run.at("device") + again.run.at("host") + again.run.at("bundle") + again.run.at("probe"), 0);
  EXPECT_EQ(again.hits, 1);
  EXPECT_EQ(again.hit.at("device"), 2);
}

TEST_P(MainJob, RunsNothingAfterRemovalOfTheObjectTouchOfTheSourcesAndRestartOfTheDaemon) {
  compile(kTwo);
  std::filesystem::remove(project_ / "build/a.o");
  for (const char* name : {"src/a.hip", "src/tuning.h"})
    std::filesystem::last_write_time(project_ / name, std::filesystem::file_time_type::clock::now());
  ASSERT_EQ(cache_.control("--stop-server").exit_code, 0);
  const Counts again = compile(kTwo);
  EXPECT_EQ(again.run.at("device") + again.run.at("host") + again.run.at("probe"), 0);
  EXPECT_EQ(again.hits, 1);
}

TEST_P(MainJob, CompilesOnlyTheArchThatIsAdded) {
  compile(kTwo);
  const Counts added = compile(kThree);
  EXPECT_EQ(added.run.at("device"), 1);
  EXPECT_EQ(added.run.at("device gfx90a"), 1);
  EXPECT_EQ(added.run.at("host"), 0);
  EXPECT_EQ(added.partials, 1);
}

// A macro at the end changes no byte of what the steps make, so the bundle is found.
TEST_P(MainJob, IsAMissIfOnlyTheBundleWasFound) {
  compile(kTwo);
  project_.write("src/a.hip", support::read_bytes(project_ / "src/a.hip") + "#define EDITED 1\n");
  const Counts edited = compile(kTwo);
  EXPECT_EQ(edited.run.at("device"), 2);
  EXPECT_EQ(edited.run.at("host"), 1);
  EXPECT_EQ(edited.misses, 1) << edited.json.dump();
}

TEST_P(MainJob, CompilesNoArchWhenOneIsRemovedOrTheyAreReorderedOrSpeltOtherwise) {
  compile(kThree);
  const Counts removed = compile(kTwo);
  EXPECT_EQ(removed.run.at("device"), 0);
  EXPECT_EQ(removed.run.at("host"), 0);
  EXPECT_EQ(removed.hits, 1) << "bundles what was found";
  for (const Arguments& spelling : {archs({"gfx1030", "gfx906"}), Arguments{"--offload-arch=gfx906,gfx1030"},
                                    Arguments{"--cuda-gpu-arch=gfx1030", "--offload-arch=gfx906"}}) {
    const Counts spelt = compile(spelling);
    EXPECT_EQ(spelt.run.at("device"), 0);
    EXPECT_EQ(spelt.run.at("host"), 0);
    EXPECT_EQ(spelt.hits, 1);
  }
}

// Except with debug information, which names the directory.
TEST_P(MainJob, SharesArchsWithAnotherBuildDirectoryOfTheSameSources) {
  const bool names_directory = GetParam().flags.find("-g") != std::string::npos;
  compile(kTwo);
  for (const char* build : {"build", "other"}) project_.write(std::string(build) + "/CMakeCache.txt", "");
  compile(kTwo);
  Oracle other(cache_, project_ / "other");
  const Counts counted = other.check(command(kThree));
  EXPECT_EQ(counted.run.at("device"), names_directory ? 3 : 1);
  EXPECT_EQ(counted.run.at("host"), names_directory ? 1 : 0);
}

TEST_P(MainJob, CompilesOnlyTheArchWhoseHeaderWasEdited) {
  compile(kTwo);
  project_.write("src/tuning.h", "__device__ int tuned = 22;\n");
  const Counts edited = compile(kTwo);
  EXPECT_EQ(edited.run.at("device"), 1);
  EXPECT_EQ(edited.run.at("device gfx1030"), 1);
  EXPECT_EQ(edited.run.at("host"), 0);
}

TEST_P(MainJob, CompilesAllWhenTheSourceIsEditedAndNothingWhenTheEditIsTakenBack) {
  compile(kTwo);
  const std::string source = support::read_bytes(project_ / "src/a.hip");
  project_.write("src/a.hip", source + "__global__ void another(int* p) { *p = 1; }\n");
  const Counts edited = compile(kTwo);
  EXPECT_EQ(edited.run.at("device"), 2);
  EXPECT_EQ(edited.run.at("host"), 1);
  EXPECT_EQ(edited.run.at("probe"), 0);
  project_.write("src/a.hip", source);
  const Counts back = compile(kTwo);
  EXPECT_EQ(back.run.at("device") + back.run.at("host"), 0);
}

TEST_P(MainJob, ReplaysWarningsInTheDriversOrder) {
  project_.write("src/a.hip", support::read_bytes(project_ / "src/a.hip") + "#warning look here\n");
  const Counts cold = compile(kTwo);
  EXPECT_EQ(cold.run.at("device"), 2);
  EXPECT_EQ(compile(kTwo).hits, 1);
  const Counts added = compile(kThree);
  EXPECT_EQ(added.run.at("device"), 1);
}

TEST_P(MainJob, EndsAsTheCompilerDoesWhereTheSourceIsWrong) {
  compile(kTwo);
  project_.write("src/a.hip", "#include \"runtime.h\"\n__device__ int f() { return undeclared; }\n");
  const Counts wrong_everywhere = oracle_.check(command(kTwo));
  EXPECT_EQ(oracle_.exit_code(), 1);
  EXPECT_EQ(wrong_everywhere.failed, 1);
  project_.write("src/a.hip", "#include \"runtime.h\"\n#if defined(__gfx906__)\n#error not here\n#endif\n");
  oracle_.check(command(kTwo));
  EXPECT_EQ(oracle_.exit_code(), 1);
  project_.write("src/a.hip",
                 "#include \"runtime.h\"\n#ifndef __HIP_DEVICE_COMPILE__\n#include \"missing.h\"\n#endif\n");
  oracle_.check(command(kTwo));
  EXPECT_EQ(oracle_.exit_code(), 1);
  EXPECT_TRUE(cache_.leaves_nothing());
}

INSTANTIATE_TEST_SUITE_P(Compilers, MainJob,
                         testing::Values(Variant{{"15"}, "-O2"}, Variant{{"19"}, "-O0"}, Variant{{"19"}, "-O2 -g"}),
                         variant_name);

}  // namespace
}  // namespace hipcache::integration
