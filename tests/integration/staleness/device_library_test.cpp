// The device bitcode libraries, which the driver chooses and no depfile names.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using DeviceLibraryStaleness = Staleness;

TEST_P(DeviceLibraryStaleness, ADeviceLibraryEditedInPlaceRunsTheDeviceSteps) {
  const std::string bitcode = copy_bitcode("bitcode");
  write_kernel(project_, "a.hip",
               "extern \"C\" __device__ float __ocml_sin_f32(float);\n"
               "__global__ void sine(float* x) { *x = __ocml_sin_f32(*x); }\n");
  check(with_bitcode(bitcode));
  expect_hit(with_bitcode(bitcode));
  // The switches are one constant each: another switch's file is another library.
  fs::copy_file(fs::path(bitcode) / "oclc_daz_opt_on.bc", fs::path(bitcode) / "oclc_daz_opt_off.bc",
                fs::copy_options::overwrite_existing);
  const Counts counted = check(with_bitcode(bitcode));
  EXPECT_EQ(counted.run.at("device"), 2);
  EXPECT_LE(counted.run.at("host"), 1);
}

TEST_P(DeviceLibraryStaleness, ADeviceLibraryThatNoStepReadsIsNotAnInput) {
  const std::string bitcode = copy_bitcode("bitcode");
  check(with_bitcode(bitcode));
  project_.write("bitcode/oclc_isa_version_1012.bc", "not read by gfx906 and gfx1030");
  expect_hit(with_bitcode(bitcode));
}

TEST_P(DeviceLibraryStaleness, TheDirectoryOfDeviceLibrariesInTheEnvironmentIsAnInput) {
  const std::string one = copy_bitcode("one");
  const std::string two = copy_bitcode("two");
  fs::copy_file(two + "/oclc_daz_opt_on.bc", two + "/oclc_daz_opt_off.bc", fs::copy_options::overwrite_existing);
  Arguments argv = command();
  std::erase_if(argv, [](const std::string& argument) { return argument.starts_with("--rocm-device-lib-path="); });
  check(argv, {{"HIP_DEVICE_LIB_PATH", one}});
  // Whether the host runs is up to the kernel: code objects that come out equal make the same fatbin.
  EXPECT_EQ(check(argv, {{"HIP_DEVICE_LIB_PATH", two}}).run.at("device"), 2);
  expect_hit(argv, {{"HIP_DEVICE_LIB_PATH", one}});
}

INSTANTIATE_TEST_SUITE_P(Compilers, DeviceLibraryStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
