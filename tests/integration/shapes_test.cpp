// HIP compiles of other shapes than an object with a fatbin: cold, as a hit, and with one more arch, which alone is
// then compiled. The oracle checks every compile.
#include <gtest/gtest.h>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

struct Steps {
  std::int64_t device = 0, host = 0, bundle = 0;
  bool operator==(const Steps&) const = default;
};

void PrintTo(const Steps& steps, std::ostream* out) {
  *out << steps.device << " devices, " << steps.host << " hosts, " << steps.bundle << " bundles";
}

Steps steps_of(const std::map<std::string, std::int64_t>& counted) {
  return {counted.at("device"), counted.at("host"), counted.at("bundle")};
}

class Shapes : public SingleCompile {
 protected:
  Arguments with(const Arguments& archs, const std::string& flags) const {
    return GetParam().hip() + archs + words(flags);
  }

  // `cold`: the steps for two archs; `added`: the steps for a third beside them.
  void expect_cached(const std::string& flags, Steps cold, Steps added) {
    SCOPED_TRACE(flags);
    EXPECT_EQ(cache_.control("--clear").exit_code, 0);
    const Counts first = check(with(archs({"gfx906", "gfx1030"}), flags));
    EXPECT_EQ(steps_of(first.run), cold) << first.json.at("not_cached");
    EXPECT_TRUE(first.not_stored.empty()) << first.json.at("not_stored");
    const Counts again = check(with(archs({"gfx906", "gfx1030"}), flags));
    EXPECT_EQ(again.hits, 1);
    EXPECT_EQ(steps_of(again.run), Steps());
    EXPECT_EQ(steps_of(again.hit), cold);
    const Counts more = check(with(archs({"gfx906", "gfx1030", "gfx90a"}), flags));
    EXPECT_EQ(more.run.at("device gfx90a"), 1);
    EXPECT_EQ(steps_of(more.run), added);
  }
};

TEST_P(Shapes, RelocatableDeviceCodeIsCachedByArchAndTheHostOnItsOwn) {
  expect_cached("-O0 -fgpu-rdc -MD -c a.hip -o a.o", {2, 1, 1}, {1, 0, 1});
}

TEST_P(Shapes, BundlesOfAssemblyAndIrAreCachedByArch) {
  expect_cached("-O0 -S -MD a.hip", {2, 1, 1}, {1, 0, 1});
  expect_cached("-O0 -c -emit-llvm a.hip -o a.bc", {2, 1, 1}, {1, 0, 1});
}

TEST_P(Shapes, DevicesAloneAreCachedByArch) {
  expect_cached("-O0 --offload-device-only -MD -c a.hip -o a.o", {2, 0, 1}, {1, 0, 1});
  expect_cached("-O0 --offload-device-only --no-gpu-bundle-output -MD -c a.hip", {2, 0, 0}, {1, 0, 0});
  expect_cached("-O0 --offload-device-only -S a.hip", {2, 0, 0}, {1, 0, 0});
}

TEST_P(Shapes, CodeForLinkTimeOptimizationIsCachedByArch) {
  expect_cached("-O1 -foffload-lto -c a.hip -o a.o", {2, 1, 1}, {1, 0, 1});
  expect_cached("-O1 -flto -c a.hip -o a.o", {2, 1, 1}, {1, 1, 1});
}

TEST_P(Shapes, FilesBesideTheObjectAreCachedByArch) {
  expect_cached("-O0 -g -gsplit-dwarf -c a.hip -o a.o", {2, 1, 1}, {1, 0, 1});
  expect_cached("-O0 -fstack-usage -fgpu-rdc -c a.hip -o a.o", {2, 1, 1}, {1, 0, 1});
}

// A side without functions makes no file of stack usage, and leaves that of the other side.
TEST_P(Shapes, AFileThatASideHasNothingForIsTheOtherSides) {
  project_.write("device.hip", "__attribute__((device)) float f(float x) { return x * 2; }\n");
  project_.write("host.hip", "int f(int x) { return x * 2; }\n");
  project_.write("none.hip", "extern int x;\n");
  for (const std::string source : {"device", "host", "none"}) {
    expect_cached("-O0 -fstack-usage -c " + source + ".hip -o a.o", {2, 1, 1}, {1, 0, 1});
    std::filesystem::remove(project_ / "a.su");
  }
}

TEST_P(Shapes, WhatTheNewDriverCompilesIsCachedByArch) {
  expect_cached("-O0 --offload-new-driver -MD -c a.hip -o a.o", {2, 1, 1}, {1, 0, 1});
  expect_cached("-O0 --offload-new-driver -fgpu-rdc -c a.hip -o a.o", {2, 1, 1}, {1, 1, 1});
}

TEST_P(Shapes, CompressedFatbinsAreCachedByArch) {
  if (GetParam().version == "15") {  // does not know the option
    oracle_.check(with(archs({"gfx906"}), "-O0 --offload-compress -c a.hip -o a.o"));
    EXPECT_EQ(oracle_.exit_code(), 1);
    return;
  }
  expect_cached("-O0 --offload-compress -c a.hip -o a.o", {2, 1, 1}, {1, 0, 1});
  expect_cached("-O0 --offload-compress -fgpu-rdc -c a.hip -o a.o", {2, 1, 1}, {1, 0, 1});
}

TEST_P(Shapes, RelocatableDeviceCodeOfAnotherOutputHasItsOwnId) {
  const Arguments argv = with(archs({"gfx906"}), "-O0 -fgpu-rdc -c a.hip");
  EXPECT_NE(cache_.plan(argv + Arguments{"-o", "a.o"}, project_.path()).at("cuid"),
            cache_.plan(argv + Arguments{"-o", "b.o"}, project_.path()).at("cuid"));
  EXPECT_EQ(check(argv + Arguments{"-o", "a.o"}).run.at("device"), 1);
  EXPECT_EQ(check(argv + Arguments{"-o", "b.o"}).run.at("device"), 1);
}

TEST_P(Shapes, EndsAsTheCompilerDoesWhereRelocatableDeviceCodeIsWrong) {
  for (const char* wrong : {"#error everywhere\n", "#if defined(__gfx906__)\n#error one arch\n#endif\n",
                            "#ifndef __HIP_DEVICE_COMPILE__\n#include \"missing.h\"\n#endif\n"}) {
    write_kernel(project_, "a.hip", wrong);
    const Counts failed = oracle_.check(with(archs({"gfx906", "gfx1030"}), "-O0 -fgpu-rdc -MD -c a.hip -o a.o"));
    EXPECT_EQ(oracle_.exit_code(), 1);
    EXPECT_EQ(failed.failed, 1) << failed.json.at("not_cached");
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Shapes, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
