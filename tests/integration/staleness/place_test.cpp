// Where a command runs, where its outputs go, and what is there already.
#include <gtest/gtest.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// Root may write to read-only places. Programs that start while this object exists may not, whoever runs the test.
class WithoutPrivileges {
 public:
  WithoutPrivileges() : before_(prctl(PR_GET_SECUREBITS)) { prctl(PR_SET_SECUREBITS, before_ | SECBIT_NOROOT); }
  ~WithoutPrivileges() { prctl(PR_SET_SECUREBITS, before_); }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  int before_;
};

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

class PlaceStaleness : public Staleness {
 protected:
  PlaceStaleness() { project_.make_directory("out"); }

  static constexpr const char* kDepfile = "-O1 -MD -MF a.d";

  // One arch is enough if nothing must happen between two.
  Arguments command(const std::string& flags = "-O1", const std::string& object = "a.o") const {
    return GetParam().hip() + archs({"gfx906"}) + words(flags) + Arguments{"-c", "a.hip", "-o", object};
  }

  // Works for any outcome (bypass, failure): checks a miss and a hit against the compiler.
  Counts compare(const Arguments& argv) { return oracle_.check(argv); }

  // With the outputs' places as `arrange` leaves them, the compile is cached, cold and warm.
  template <typename Arrange>
  void expect_served_with(const Arrange& arrange) {
    arrange();
    EXPECT_EQ(check(command(kDepfile)).misses, 1);
    arrange();
    expect_hit(command(kDepfile));
  }

  // With the outputs' places as they are, the compile is a bypass for that reason, with that exit code.
  void expect_left_alone(const std::string& reason, int exit_code, const Arguments& argv) {
    SCOPED_TRACE(reason);
    const Counts counted = compare(argv);
    EXPECT_EQ(counted.passed, 1);
    EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
    EXPECT_EQ(oracle_.exit_code(), exit_code);
  }

  void remove_outputs() const {
    for (const char* name : {"a.o", "a.d"}) fs::remove_all(project_ / name);
  }

  // A source that fails as it says, with outputs of an earlier compile and without.
  void expect_failure_of(const std::string& text) {
    const Arguments argv = Staleness::command(kDepfile);
    write_kernel(project_, "a.hip");
    check(argv);
    project_.write("a.hip", "#include \"runtime.h\"\n" + text);
    for (const bool over_outputs : {true, false}) {
      if (!over_outputs) remove_outputs();
      const Counts counted = compare(argv);
      EXPECT_EQ(counted.failed, 1);
      EXPECT_EQ(counted.passed, 0);
      EXPECT_EQ(oracle_.exit_code(), 1);
    }
  }
};

// What no compiler decides.
class PlaceStalenessByOneCompiler : public PlaceStaleness {};

TEST_P(PlaceStalenessByOneCompiler, TheSameRelativeCommandInAnotherDirectoryReadsThatDirectorysFiles) {
  for (const char* directory : {"one", "two"}) {
    write_kernel(project_, std::string(directory) + "/a.hip", "#include \"sub/value.h\"\n");
    project_.write(std::string(directory) + "/sub/value.h", std::string("__device__ int ") + directory + " = 1;\n");
  }
  for (const char* directory : {"one", "two", "one", "two"}) Oracle(cache_, project_ / directory).check(command());
  EXPECT_EQ(cache_.counts().hits, 2);
}

// The steps see only relative names. Only the ids in the objects differ, because they depend on the output's place.
TEST_P(PlaceStaleness, EqualFilesInAnotherDirectoryShareStepsWhereTheDirectoryIsNotInTheObject) {
  for (const char* directory : {"one", "two"}) write_kernel(project_, std::string(directory) + "/a.hip");
  const auto compile_in = [this](const char* directory, const std::string& flags) {
    const Counts counted = Oracle(cache_, project_ / directory).check(command(flags + " -cuid=mine"));
    return counted.run.at("device") + counted.run.at("bundle") + counted.run.at("host");
  };
  EXPECT_EQ(compile_in("one", "-O1"), 3);
  EXPECT_EQ(compile_in("two", "-O1"), 0);
  EXPECT_EQ(compile_in("one", "-O1 -g"), 3);
  EXPECT_EQ(compile_in("two", "-O1 -g"), 3);
  EXPECT_EQ(compile_in("one", "-O1 -g"), 0);
}

// Another output has another id, which objects of clang 15 do not show.
TEST_P(PlaceStaleness, AnotherOutputRunsTheStepsThatShowItsId) {
  warm(command("-O1", "a.o"));
  for (const char* object : {"b.o", "out/a.o"}) {
    const Counts counted = check(command("-O1", object));
    for (const char* step : {"device", "bundle", "host"}) EXPECT_EQ(counted.run.at(step), clang15() ? 0 : 1) << step;
    EXPECT_EQ(counted.run.at("probe"), 0) << "the driver only copies the name";
    expect_hit(command("-O1", object));
  }
  expect_hit(command("-O1", "a.o"));
}

TEST_P(PlaceStalenessByOneCompiler, APlaceThatIsNoneIsTheCompilersToRefuse) {
  expect_left_alone("output-not-a-regular-file", 1, command("-O1", "out"));
  expect_opaque_with_any_end(command("-O1", "out/"));
  expect_left_alone("output-not-writable", 1, command("-O1", "no/such/a.o"));
  expect_left_alone("output-not-writable", 1, command("-O1", "a.hip/a.o"));
  expect_left_alone("output-not-a-regular-file", 1, command("-O1 -MD -MF out"));
}

TEST_P(PlaceStaleness, NoOutputGivenIsTheSourcesNameInTheWorkingDirectory) {
  const Arguments argv = GetParam().hip() + archs({"gfx906"}) + words("-O1 -MD -c ../a.hip");
  Oracle below(cache_, project_ / "out");
  EXPECT_EQ(below.check(argv).misses, 1);
  EXPECT_TRUE(support::exists(project_ / "out/a.o"));
  EXPECT_TRUE(support::exists(project_ / "out/a.d"));
  EXPECT_EQ(below.check(argv).hits, 1);
  EXPECT_EQ(oracle_.check(GetParam().hip() + archs({"gfx906"}) + words("-O1 -MD -c a.hip")).hits, 0);
}

TEST_P(PlaceStalenessByOneCompiler, ModesAreThoseOfTheUmaskAtEveryCompile) {
  for (const mode_t mask : {077, 002, 0}) {
    const Umask changed(mask);
    for (const char* name : {"a.o", "a.d"}) fs::remove(project_ / name);
    EXPECT_EQ(check(command(kDepfile)).hits, mask == 077 ? 0 : 1);
  }
}

TEST_P(PlaceStalenessByOneCompiler, WhatLiesInTheOutputsPlaceIsReplacedAsTheCompilerDoesIt) {
  expect_served_with([this] {
    for (const char* name : {"a.o", "a.d"}) {
      project_.write(name, std::string(1 << 20, 'x'));
      fs::permissions(project_ / name, fs::perms(0755));
    }
  });
}

TEST_P(PlaceStalenessByOneCompiler, ASecondNameOfTheOutputIsTreatedAsTheCompilerDoesIt) {
  expect_served_with([this] {
    for (const std::string name : {"a.o", "a.d"}) {
      for (const std::string& each : {name, "second " + name}) fs::remove(project_ / each);
      project_.write(name, "old");
      fs::create_hard_link(project_ / name, project_ / ("second " + name));
    }
  });
}

TEST_P(PlaceStalenessByOneCompiler, AReadOnlyOutputIsLeftToTheCompiler) {
  const WithoutPrivileges ordinary;
  for (const char* name : {"a.o", "a.d"}) {
    remove_outputs();
    fs::permissions(project_.write(name, "old"), fs::perms(0444));
    expect_left_alone("output-not-writable", 1, command(kDepfile));
    remove_outputs();
    warm(command(kDepfile + std::string(std::string(name) == "a.o" ? " -fwrapv" : " -fno-builtin")));
  }
}

TEST_P(PlaceStalenessByOneCompiler, AnOutputInAReadOnlyDirectoryIsLeftToTheCompiler) {
  const WithoutPrivileges ordinary;
  const Arguments argv = command("-O1 -MD", "out/a.o");
  const auto allow = [this](int mode) { fs::permissions(project_ / "out", fs::perms(mode)); };
  allow(0555);
  expect_left_alone("output-not-writable", 1, argv);
  allow(0755);
  warm(argv);
  allow(0555);
  expect_left_alone("output-not-writable", 0, argv);  // the old ones are writable
  allow(0755);
}

TEST_P(PlaceStalenessByOneCompiler, AnOutputThatIsALinkIsLeftToTheCompiler) {
  warm(command(kDepfile));
  project_.write("real", "old");
  for (const char* name : {"a.o", "a.d"}) {
    for (const char* target : {"real", "no/such/place", "out"}) {
      SCOPED_TRACE(std::string(name) + " -> " + target);
      remove_outputs();
      project_.link(name, target);
      const bool cannot_be = target == std::string("out") || (target == std::string("no/such/place") && name[2] == 'd');
      expect_left_alone("output-not-a-regular-file", cannot_be ? 1 : 0, command(kDepfile));
    }
  }
}

TEST_P(PlaceStalenessByOneCompiler, AnOutputBelowALinkedDirectoryIsServed) {
  project_.link("linked", "out");
  const Arguments argv = command("-O1 -MD", "linked/a.o");
  warm(argv);
  project_.make_directory("other");
  project_.link("linked", "other");
  expect_hit(argv);
  EXPECT_TRUE(support::exists(project_ / "other/a.o"));
}

TEST_P(PlaceStalenessByOneCompiler, ASinkAsTheOutputMakesACompileOpaqueAndStaysWhatItIs) {
  expect_opaque(command("-O1", "/dev/null"));
  expect_opaque(command("-O1 -MD -MF /dev/null"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_P(PlaceStalenessByOneCompiler, AnObjectThatIsAnInputIsWrittenWhenAllIsRead) {
  for (const std::string object : {"a.hip", "runtime.h"}) {
    const std::string text = support::read_bytes(project_ / object);
    const Arguments argv = command(object == "a.hip" ? "-O1 -fwrapv" : "-O1 -fno-builtin", object);
    EXPECT_EQ(check(argv).run.at("host"), 1);
    project_.write(object, text);
    expect_hit(argv);
    project_.write(object, text);
  }
}

// The second arch's compile reads what the first one's wrote.
TEST_P(PlaceStaleness, ADepfileThatIsAnotherFileIsLeftToTheCompiler) {
  project_.make_directory("sub");
  for (const std::string name : {"a.hip", "sub/../a.hip", "runtime.h"}) {
    SCOPED_TRACE(name);
    const std::string text = support::read_bytes(project_ / name);
    for (int time = 0; time < 2; ++time) {
      expect_left_alone("depfile-is-another-file", 1, Staleness::command("-O1 -MD -MF " + name));
      project_.write(name, text);
    }
  }
  for (const char* name : {"a.o", "./a.o"})
    expect_left_alone("depfile-is-another-file", 0, command("-O1 -MD -MF " + std::string(name)));
}

TEST_P(PlaceStaleness, AFailureEverywhereLeavesTheOutputsAsTheCompilerDoes) {
  expect_failure_of("__device__ int f() { return undeclared; }\n");
}

TEST_P(PlaceStaleness, AFailureOnTheDeviceLeavesTheOutputsAsTheCompilerDoes) {
  expect_failure_of("#ifdef __HIP_DEVICE_COMPILE__\n#error here\n#endif\n");
}

TEST_P(PlaceStaleness, AFailureForTheSecondArchLeavesTheOutputsAsTheCompilerDoes) {
  expect_failure_of("#ifdef __gfx906__\n#error here\n#endif\n");
}

TEST_P(PlaceStaleness, AFailureOnTheHostLeavesTheOutputsAsTheCompilerDoes) {
  expect_failure_of("#ifndef __HIP_DEVICE_COMPILE__\n#error here\n#endif\n");
}

TEST_P(PlaceStaleness, AMissingHeaderLeavesTheOutputsAsTheCompilerDoes) {
  for (const char* condition : {"#if 1\n", "#ifndef __HIP_DEVICE_COMPILE__\n", "#ifdef __gfx906__\n"})
    expect_failure_of(std::string(condition) + "#include \"missing.h\"\n#endif\n");
}

INSTANTIATE_TEST_SUITE_P(Compilers, PlaceStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, PlaceStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
