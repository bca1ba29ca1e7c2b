// One source compiled in several shapes through one cache: the whole object, the devices alone (bundled or not, in
// every spelling), the host alone. The shapes share commands. One shape's stored results may serve the others, and
// never disturb them. The oracle checks every compile.
#include <gtest/gtest.h>

#include <string>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

// One id for all shapes. clang 19 writes the unit's id into every code object, and hipcache gives each command its own.
constexpr const char* kCommon = "-O1 --offload-arch=gfx900 --offload-arch=gfx906 -cuid=0123456789abcdef ";

class ShapeOrders : public SingleCompile {
 protected:
  Arguments compile(const std::string& flags) const { return compiler_ + words(kCommon + flags); }

  static Counts served(Counts counted) {
    EXPECT_EQ(counted.passed, 0) << counted.json.at("not_cached");
    EXPECT_EQ(counted.errors, 0);
    EXPECT_EQ(counted.hits + counted.partials + counted.misses, 1);
    return counted;
  }
  static void expect_hit(const Counts& counted) {
    EXPECT_EQ(served(counted).hits, 1);
    EXPECT_EQ(counted.run.at("device") + counted.run.at("host") + counted.run.at("bundle") + counted.run.at("probe"),
              0);
  }

  // Compiles one shape, then the other, then both twice more. Returns what the first compile of `second` ran and found.
  Counts one_after_the_other(const std::string& first, const std::string& second) {
    SCOPED_TRACE(first + ", then " + second);
    EXPECT_EQ(cache_.control("--clear").exit_code, 0);
    EXPECT_EQ(served(check(compile(first), variables_)).misses, 1);
    const Counts other = served(check(compile(second), variables_));
    expect_hit(oracle_.check_again());
    expect_hit(check(compile(first), variables_));
    expect_hit(oracle_.check_again());
    expect_hit(check(compile(second), variables_));
    return other;
  }

  // In both orders, the second shape finds every step of that kind that the first one ran.
  void expect_shared(const std::string& kind, std::int64_t steps, const std::string& one, const std::string& other) {
    for (const Counts& counted : {one_after_the_other(one, other), one_after_the_other(other, one)}) {
      EXPECT_EQ(counted.run.at(kind), 0) << one << " and " << other;
      EXPECT_EQ(counted.hit.at(kind), steps) << one << " and " << other;
    }
  }

  Arguments compiler_ = GetParam().hip();
  Variables variables_;
};

// clang 15's new driver bundles in the order of the command line.
TEST_P(ShapeOrders, AnotherOrderOfTheArchsRunsNoDeviceAndIsWhatTheCompilerMakesOfIt) {
  for (const char* flags : {"", "--offload-new-driver", "--offload-new-driver -fgpu-rdc"}) {
    SCOPED_TRACE(flags);
    const auto compile = [&](const Arguments& names) {
      return compiler_ + words(flags) + archs(names) + words("-O1 -c a.hip -o a.o");
    };
    EXPECT_EQ(served(check(compile({"gfx906", "gfx1030", "gfx90a"}))).run.at("device"), 3);
    EXPECT_EQ(served(check(compile({"gfx90a", "gfx1030", "gfx906"}))).run.at("device"), 0);
    EXPECT_EQ(served(check(compile({"gfx1030", "gfx906", "gfx90a"}))).run.at("device"), 0);
  }
}

TEST_P(ShapeOrders, AWholeObjectAndItsDevicesAloneShareTheDevices) {
  for (const char* devices :
       {"--offload-device-only -c a.hip", "--offload-device-only -c a.hip -o a.o",
        "--cuda-device-only -c a.hip -o devices.o", "--offload-device-only --gpu-bundle-output -c a.hip -o devices.o",
        "--cuda-device-only --no-gpu-bundle-output -c a.hip"})
    expect_shared("device", 2, "-c a.hip -o a.o", devices);
}

TEST_P(ShapeOrders, DevicesInABundleAndEachForItselfShareTheDevices) {
  expect_shared("device", 2, "--offload-device-only -c a.hip -o devices.o",
                "--offload-device-only --no-gpu-bundle-output -c a.hip");
}

TEST_P(ShapeOrders, DevicesWithADepfileAndWithoutOneAreTwoResults) {
  for (const char* whole : {"-c a.hip -o a.o", "-MD -c a.hip -o a.o"}) {
    one_after_the_other(whole, "--offload-device-only -MD -c a.hip -o devices.o");
    one_after_the_other("--offload-device-only --no-gpu-bundle-output -MD -c a.hip", whole);
  }
}

TEST_P(ShapeOrders, AWholeObjectAndTheHostAloneDoNotMeet) {
  one_after_the_other("-c a.hip -o a.o", "--offload-host-only -c a.hip -o a.o");
  one_after_the_other("--cuda-host-only -c a.hip -o host.o", "-c a.hip -o a.o");
}

TEST_P(ShapeOrders, RelocatableDeviceCodeAndItsDevicesAloneShareTheDevices) {
  const std::string whole = "-fgpu-rdc -c a.hip -o a.o";
  expect_shared("device", 2, whole, "-fgpu-rdc --offload-device-only --no-gpu-bundle-output -c a.hip");
}

TEST_P(ShapeOrders, AssemblyAndIrOfAllAndOfTheDevicesShareTheDevices) {
  expect_shared("device", 2, "-S a.hip -o a.s", "-S --offload-device-only a.hip");
  expect_shared("device", 2, "-c -emit-llvm a.hip -o a.bc", "-c -emit-llvm --offload-device-only a.hip");
}

class HipccShapeOrders : public ShapeOrders {
 protected:
  HipccShapeOrders() {
    write_kernel(project_, "a.cpp");
    compiler_ = words("hipcc -std=c++17 -nogpuinc");
    variables_ = {{"HIP_CLANG_PATH", clang_path_}, {"HIP_PLATFORM", "amd"}};
  }

  support::Scratch toolchain_;
  const std::string clang_path_ = write_toolchain_for_hipcc(toolchain_, GetParam());
};

TEST_P(HipccShapeOrders, AWholeObjectAndItsDevicesAloneShareTheDevices) {
  for (const char* devices : {"--offload-device-only -c a.cpp", "--cuda-device-only -c a.cpp -o devices.o",
                              "--cuda-device-only --no-gpu-bundle-output -c a.cpp"})
    expect_shared("device", 2, "-c a.cpp -o a.o", devices);
}

INSTANTIATE_TEST_SUITE_P(Compilers, HipccShapeOrders, testing::ValuesIn(kOneCompiler), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, ShapeOrders, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
