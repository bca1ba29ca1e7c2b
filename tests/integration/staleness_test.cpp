// What a compile depends on is changed, and a recompile of just the steps that depend on it is demanded; what it does
// not depend on is changed, and a hit is demanded. Every compile is held against the oracle.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class Staleness : public SingleCompile {
 protected:
  // A copy of the device bitcode libraries that a test may change.
  std::string copy_bitcode(const std::string& name) const {
    fs::copy("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", project_ / name);
    return project_ / name;
  }

  Arguments with_bitcode(const std::string& directory) const {
    Arguments argv = command();
    for (std::string& argument : argv)
      if (argument.starts_with("--rocm-device-lib-path=")) argument = "--rocm-device-lib-path=" + directory;
    return argv;
  }

  static std::int64_t steps_run(const Counts& counts) {
    return counts.run.at("device") + counts.run.at("bundle") + counts.run.at("host");
  }

  void expect_hit(const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(counted.hits, 1);
    EXPECT_EQ(steps_run(counted), 0);
  }

  void expect_runs(std::int64_t devices, std::int64_t hosts, const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(counted.run.at("device"), devices);
    EXPECT_EQ(counted.run.at("host"), hosts);
  }
};

TEST_P(Staleness, AHeaderWithEqualSizeAndModificationTimeIsReadAgain) {
  project_.write("value.h", "#define VALUE 1\n");
  write_kernel(project_, "a.hip", "#include \"value.h\"\n__device__ int value = VALUE;\nint host_value = VALUE;\n");
  check(command());
  const auto time = fs::last_write_time(project_ / "value.h");
  project_.write("value.h", "#define VALUE 2\n");
  fs::last_write_time(project_ / "value.h", time);
  expect_runs(2, 1, command());
}

TEST_P(Staleness, AHeaderOfTheHostAloneRunsTheHostAlone) {
  project_.write("host.h", "int host_value = 1;\n");
  write_kernel(project_, "a.hip", "#ifndef __HIP_DEVICE_COMPILE__\n#include \"host.h\"\n#endif\n");
  check(command());
  project_.write("host.h", "int host_value = 22;\n");
  expect_runs(0, 1, command());
}

TEST_P(Staleness, AHeaderThatAppearsEarlierOnThePathIsFound) {
  project_.write("late/value.h", "__device__ int value = 1;\n");
  project_.make_directory("early");
  write_kernel(project_, "a.hip", "#include <value.h>\n");
  const Arguments argv = command("-O1 -Iearly -Inot_yet/there -Ilate");
  check(argv);
  project_.write("early/unrelated.h", "");
  expect_hit(argv);
  project_.write("not_yet/there/value.h", "__device__ int value = 33;\n");
  expect_runs(2, 1, argv);
  project_.write("early/value.h", "__device__ int value = 4444;\n");
  expect_runs(2, 1, argv);
  fs::remove(project_ / "early/value.h");
  expect_hit(argv);
}

TEST_P(Staleness, AnOptionalHeaderThatAppearsOrVanishesIsSeen) {
  write_kernel(project_, "a.hip", "#if __has_include(\"optional.h\")\n__device__ int optional = 1;\n#endif\n");
  check(command());
  project_.write("optional.h", "");
  expect_runs(2, 1, command());
  fs::remove(project_ / "optional.h");
  expect_hit(command());
}

TEST_P(Staleness, ARetargetedSymbolicLinkIsFollowed) {
  project_.write("one.h", "__device__ int value = 1;\n");
  project_.write("two.h", "__device__ int value = 22;\n");
  project_.link("value.h", "one.h");
  write_kernel(project_, "a.hip", "#include \"value.h\"\n");
  check(command());
  project_.link("value.h", "two.h");
  expect_runs(2, 1, command());
}

TEST_P(Staleness, ADeviceLibraryEditedInPlaceRunsTheDeviceSteps) {
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

TEST_P(Staleness, ADeviceLibraryThatNoStepReadsIsNotAnInput) {
  const std::string bitcode = copy_bitcode("bitcode");
  check(with_bitcode(bitcode));
  project_.write("bitcode/oclc_isa_version_1012.bc", "not read by gfx906 and gfx1030");
  expect_hit(with_bitcode(bitcode));
}

TEST_P(Staleness, TheDirectoryOfDeviceLibrariesInTheEnvironmentIsAnInput) {
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

TEST_P(Staleness, IncludePathsInTheEnvironmentAreInputsAndUnrelatedVariablesAreNot) {
  project_.write("one/value.h", "__device__ int value = 1;\n");
  project_.write("two/value.h", "__device__ int value = 22;\n");
  write_kernel(project_, "a.hip", "#include <value.h>\n");
  check(command(), {{"CPATH", project_ / "one"}});
  expect_runs(2, 1, command(), {{"CPATH", project_ / "two"}});
  expect_hit(command(), {{"CPATH", project_ / "two"}, {"UNRELATED", "1"}});
}

TEST_P(Staleness, AnotherLinkerInTheCompilersDirectoryOfToolsIsUsed) {
  const std::string tools = project_.make_directory("tools");
  fs::create_symlink(GetParam().tools() + "/lld", tools + "/lld");
  Arguments argv = command();
  for (std::string& argument : argv)
    if (argument.starts_with("-B")) argument = "-B" + tools;
  check(argv);
  expect_hit(argv);
  fs::remove(tools + "/lld");
  fs::copy_file(GetParam().tools() + "/lld", tools + "/lld");
  // The same bytes at the same path: nothing has to run, whatever the driver calls the program.
  check(argv);
}

TEST_P(Staleness, TimesAndDatesInTheSourceAreNeverStoredUnlessTheyAreGiven) {
  write_kernel(project_, "a.hip", "const char* built = __DATE__ __TIME__;\n");
  const Cache cache;
  const auto compile = [&](const Variables& variables) {
    EXPECT_EQ(cache.run(command(), project_.path(), variables).exit_code, 0);
    return cache.counts();
  };
  compile({});
  const Counts again = compile({});
  EXPECT_EQ(again.hits, 0);
  EXPECT_EQ(again.run.at("host"), 2);
  EXPECT_EQ(again.run.at("device"), 4) << "the device passes expand them too";
  EXPECT_GE(again.not_stored.at("clock"), 2);
  if (GetParam().version == "15") return;  // does not know SOURCE_DATE_EPOCH: the clock counts all the same
  compile({{"SOURCE_DATE_EPOCH", "1000000000"}});
  EXPECT_EQ(compile({{"SOURCE_DATE_EPOCH", "1000000000"}}).hits, 1);
  EXPECT_EQ(compile({{"SOURCE_DATE_EPOCH", "1100000000"}}).hits, 1) << "another date is another result";
}

TEST_P(Staleness, TheSameRelativeCommandInAnotherDirectoryReadsThatDirectorysFiles) {
  for (const char* directory : {"one", "two"}) {
    write_kernel(project_, std::string(directory) + "/a.hip", "#include \"sub/value.h\"\n");
    project_.write(std::string(directory) + "/sub/value.h", std::string("__device__ int ") + directory + " = 1;\n");
  }
  for (const char* directory : {"one", "two", "one", "two"}) Oracle(cache_, project_ / directory).check(command());
  EXPECT_EQ(cache_.counts().hits, 2);
}

TEST_P(Staleness, TheSameSourceUnderTwoOutputsHasTwoIds) {
  check(command("-O1", "a.o"));
  check(command("-O1", "b.o"));
  EXPECT_NE(cache_.plan(command("-O1", "a.o"), project_.path()).at("cuid"),
            cache_.plan(command("-O1", "b.o"), project_.path()).at("cuid"));
}

TEST_P(Staleness, AFileEditedWhileTheCompilerRunsIsNotRecorded) {
  write_slow_source();
  const std::string source = support::read_bytes(project_ / "a.hip");
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started compile = cache_.start(command("-O2"), project_.path());
  while (cache_.leftovers() == 0) {
  }
  project_.write("a.hip", source + "__device__ int late = 1;\n");
  EXPECT_EQ(compile.wait().exit_code, 0);
  check(command("-O2"));
  project_.write("a.hip", source);
  check(command("-O2"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Staleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
