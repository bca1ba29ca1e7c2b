// The device bitcode libraries: the driver chooses them, and no depfile names them. Edited, and chosen differently.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const Steps kDevices{.device = 2, .bundle = 1};
const Steps kDevicesAndProbe{.device = 2, .bundle = 1, .probe = 1};
// The first file decides how square roots are rounded. Both files have one size.
constexpr const char* kSwitch = "oclc_correctly_rounded_sqrt_on.bc";
constexpr const char* kOtherSwitch = "oclc_correctly_rounded_sqrt_off.bc";

class DeviceLibraryStaleness : public Staleness {
 protected:
  DeviceLibraryStaleness() {
    write_kernel(project_, "a.hip",
                 "extern \"C\" __device__ float __ocml_sqrt_f32(float);\n"
                 "__global__ void root(float* x) { *x = __ocml_sqrt_f32(*x); }\n");
  }

  // Two directories of libraries that differ in the square root.
  void make_two(const std::string& one, const std::string& two) const {
    copy_bitcode(one);
    copy_bitcode(two);
    turn(two);
  }

  // Switches the directory to the other square root, and back.
  void turn(const std::string& directory) const { exchange(directory + "/" + kSwitch, directory + "/" + kOtherSwitch); }

  void exchange(const std::string& one, const std::string& two) const {
    fs::rename(project_ / one, project_ / "between");
    fs::rename(project_ / two, project_ / one);
    fs::rename(project_ / "between", project_ / two);
  }

  // The command without its directory of libraries, with an id of the user's, so that a changed argument changes only
  // what it says.
  Arguments with(const std::string& flags) const {
    return without(without(command("-O1 -cuid=chosen"), "--rocm-path="), "--rocm-device-lib-path=") + words(flags);
  }

  void expect_switched(const std::string& one, const std::string& two) {
    warm(with(one));
    expect_runs(kDevicesAndProbe, with(two));
    expect_hit(with(one));
  }

  void expect_switched(const std::string& variable, const std::string& one, const std::string& two) {
    warm(with(""), {{variable, project_ / one}});
    expect_runs(kDevicesAndProbe, with(""), {{variable, project_ / two}});
    expect_hit(with(""), {{variable, project_ / one}});
  }

  // A library of one function; the kernel stores its result.
  void write_library(const std::string& name, const std::string& answer) const {
    project_.write("answer.c", "int answer(void) { return " + answer + "; }\n");
    const Ended made = run(Arguments{GetParam().program()} + words("-x c --target=amdgcn-amd-amdhsa -nogpulib -O1 " +
                                                                   std::string("-emit-llvm -c answer.c -o ") + name),
                           project_.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }

  void write_source_with_answer() const {
    write_kernel(project_, "a.hip",
                 "extern \"C\" __device__ int answer();\n__global__ void ask(int* x) { *x = answer(); }\n");
  }
};

// What no compiler decides.
class DeviceLibraryStalenessByOneCompiler : public DeviceLibraryStaleness {};

TEST_P(DeviceLibraryStaleness, ALibraryEditedInPlaceRunsTheDevicesAndWhatHoldsTheirCode) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  warm(argv);
  const std::string file = std::string("bitcode/") + kSwitch;
  const std::string former = support::read_bytes(project_ / file);
  rewrite_unnoticed(file, support::read_bytes(project_ / (std::string("bitcode/") + kOtherSwitch)));
  expect_runs(kDevices, argv);
  project_.write(file, former);
  expect_hit(argv);
}

TEST_P(DeviceLibraryStalenessByOneCompiler, LibrariesThatExchangeTheirNamesAreReadAgain) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  warm(argv);
  turn("bitcode");
  expect_runs(kDevices, argv);
}

TEST_P(DeviceLibraryStaleness, AnEditThatDoesNotReachTheCodeRunsTheDevicesAlone) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  warm(argv);
  fs::copy_file(project_ / "bitcode/oclc_finite_only_on.bc", project_ / "bitcode/oclc_finite_only_off.bc",
                fs::copy_options::overwrite_existing);
  expect_runs({.device = 2}, argv);
}

TEST_P(DeviceLibraryStaleness, TheLibraryOfOneArchIsAnInputOfThatArchAlone) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  warm(argv);
  fs::copy_file(project_ / "bitcode/oclc_isa_version_908.bc", project_ / "bitcode/oclc_isa_version_906.bc",
                fs::copy_options::overwrite_existing);
  expect_runs({.device = 1, .arch = "gfx906"}, argv);
}

TEST_P(DeviceLibraryStaleness, ALibraryThatNoStepReadsIsNoInput) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  warm(argv);
  project_.write("bitcode/oclc_isa_version_1012.bc", "not read by gfx906 and gfx1030");
  project_.write(std::string("bitcode/") + kOtherSwitch, "not read at all");
  expect_hit(argv);
}

TEST_P(DeviceLibraryStalenessByOneCompiler, ALibraryThatIsTouchedOrReplacedByItsEqualIsAHit) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  warm(argv);
  const fs::path file = project_ / (std::string("bitcode/") + kSwitch);
  fs::last_write_time(file, fs::file_time_type::clock::now());
  expect_hit(argv);
  fs::copy_file(file, project_ / "copy");
  fs::rename(project_ / "copy", file);
  expect_hit(argv);
}

TEST_P(DeviceLibraryStaleness, AMissingLibraryFailsAsWithTheCompilerAndRestoredItIsAHit) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  warm(argv);
  fs::rename(project_ / "bitcode/ocml.bc", project_ / "ocml.bc");
  oracle_.check(argv);
  EXPECT_EQ(oracle_.exit_code(), 1);
  fs::rename(project_ / "ocml.bc", project_ / "bitcode/ocml.bc");
  expect_hit(argv);
}

TEST_P(DeviceLibraryStaleness, ALibraryThatTheDriverWouldNowChooseIsSeen) {
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"));
  fs::rename(project_ / "bitcode/oclc_abi_version_400.bc", project_ / "abi.bc");
  warm(argv);
  fs::rename(project_ / "abi.bc", project_ / "bitcode/oclc_abi_version_400.bc");
  expect_runs({.device = 2, .probe = 1}, argv);
}

TEST_P(DeviceLibraryStaleness, ALaterReleaseThatAppearsBesideTheChosenOneIsChosen) {
  make_two("root/opt/rocm-5.1.0/amdgcn/bitcode", "later/amdgcn/bitcode");
  const Arguments argv = with("--sysroot=root");
  warm(argv);
  fs::rename(project_ / "later", project_ / "root/opt/rocm-5.2.0");
  expect_runs(kDevicesAndProbe, argv);
  fs::rename(project_ / "root/opt/rocm-5.2.0", project_ / "later");
  expect_hit(argv);
}

TEST_P(DeviceLibraryStalenessByOneCompiler, ARetargetedLinkToTheLibrariesIsFollowed) {
  make_two("one/amdgcn/bitcode", "two/amdgcn/bitcode");
  project_.link("rocm", "one");
  warm(with("--rocm-path=rocm"));
  project_.link("rocm", "two");
  // The driver looks through the link as well, and makes the same plan.
  expect_runs(kDevicesAndProbe, with("--rocm-path=rocm"));
}

TEST_P(DeviceLibraryStaleness, AnotherRocmIsAnotherInput) {
  make_two("one/amdgcn/bitcode", "two/amdgcn/bitcode");
  expect_switched("--rocm-path=one", "--rocm-path=two");
}

TEST_P(DeviceLibraryStaleness, AnotherDirectoryOfLibrariesIsAnotherInput) {
  make_two("one", "two");
  expect_switched("--rocm-device-lib-path=one", "--rocm-device-lib-path=two");
}

TEST_P(DeviceLibraryStaleness, AnotherDirectoryUnderTheFormerNameOfTheOptionIsAnotherInput) {
  make_two("one", "two");
  expect_switched("--hip-device-lib-path=one", "--hip-device-lib-path=two");
}

TEST_P(DeviceLibraryStaleness, TheLastOfSeveralDirectoriesIsTheInput) {
  make_two("one", "two");
  expect_switched("--rocm-device-lib-path=two --hip-device-lib-path=one",
                  "--hip-device-lib-path=one --rocm-device-lib-path=two");
}

TEST_P(DeviceLibraryStaleness, TheDirectoryOfLibrariesInTheEnvironmentIsAnInput) {
  make_two("one", "two");
  expect_switched("HIP_DEVICE_LIB_PATH", "one", "two");
}

TEST_P(DeviceLibraryStaleness, TheRocmInTheEnvironmentIsAnInput) {
  make_two("one/amdgcn/bitcode", "two/amdgcn/bitcode");
  expect_switched("ROCM_PATH", "one", "two");
}

TEST_P(DeviceLibraryStaleness, TheHipPathChoosesNoLibraries) {
  make_two("one/amdgcn/bitcode", "two/amdgcn/bitcode");
  const std::string rocm = "--rocm-path=one";
  warm(with(rocm + " --hip-path=one"));
  expect_runs({.probe = 1}, with(rocm + " --hip-path=two"));
  expect_runs({.probe = 1}, with(rocm), {{"HIP_PATH", project_ / "one"}});
  const Variables other{{"HIP_PATH", project_ / "two"}};
  if (clang15())
    expect_hit(with(rocm), other);  // does not ask for the variable
  else
    expect_runs({.probe = 1}, with(rocm), other);
}

TEST_P(DeviceLibraryStaleness, AnOptionBeforeAVariableLeavesNothingToRunButTheProbe) {
  make_two("one", "two");
  const Arguments argv = with("--rocm-device-lib-path=one");
  warm(argv);
  expect_runs({.probe = 1}, argv, {{"HIP_DEVICE_LIB_PATH", project_ / "two"}});
  expect_hit(argv, {{"HIP_DEVICE_LIB_PATH", project_ / "two"}});
}

TEST_P(DeviceLibraryStaleness, ALibraryChosenByNameIsTheOnlyInput) {
  write_source_with_answer();
  const std::string libraries = copy_bitcode("libraries");
  write_library("libraries/answer.bc", "1");
  const Arguments argv = with("--hip-device-lib-path=libraries --hip-device-lib=answer.bc");
  warm(argv);
  turn("libraries");
  expect_hit(argv);
  write_library("libraries/answer.bc", "2");
  project_.write("answer.c", "");
  expect_runs(kDevices, argv);
  fs::rename(project_ / "libraries/answer.bc", project_ / "libraries/other.bc");
  expect_runs({.device = 2, .probe = 1}, with("--hip-device-lib-path=libraries --hip-device-lib=other.bc"));
}

TEST_P(DeviceLibraryStaleness, ALibraryChosenByNameThatAppearsEarlierIsChosen) {
  write_source_with_answer();
  copy_bitcode("late");
  project_.make_directory("early");
  write_library("late/answer.bc", "1");
  const Arguments argv = with("--hip-device-lib-path=early --hip-device-lib-path=late --hip-device-lib=answer.bc");
  warm(argv);
  write_library("early/answer.bc", "2");
  expect_runs(kDevicesAndProbe, argv);
}

TEST_P(DeviceLibraryStaleness, ALibraryHandedToTheFrontendIsAnInput) {
  write_source_with_answer();
  write_library("answer.bc", "1");
  const Arguments argv = with("-nogpulib -Xclang -mlink-builtin-bitcode -Xclang answer.bc");
  warm(argv);
  write_library("answer.bc", "2");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, argv);
}

TEST_P(DeviceLibraryStaleness, WithoutLibrariesTheirEditIsAHit) {
  write_kernel(project_, "a.hip");
  const Arguments argv = with_bitcode(copy_bitcode("bitcode"), "-O1 -nogpulib");
  warm(argv);
  turn("bitcode");
  expect_hit(argv);
  fs::remove(project_ / "bitcode/ocml.bc");
  expect_runs({.probe = 1}, argv);  // the driver lists the directory anyway
}

INSTANTIATE_TEST_SUITE_P(Compilers, DeviceLibraryStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, DeviceLibraryStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
