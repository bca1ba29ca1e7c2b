// The surface of a HIP compile's command line: each command cold and as a hit, or passed through with its reason, and
// always what the compiler alone leaves behind.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "integration/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class Commands : public SingleCompile {
 protected:
  Commands() {
    project_.write("include/extra.h", "#define EXTRA 1\n");
    project_.write("flags", "-DFROM_RESPONSE_FILE=1 -Iinclude\n");
    project_.make_directory("out");
  }

  Arguments with(const std::string& flags) const { return GetParam().hip() + words(flags); }

  void expect_miss_and_hit(const std::string& flags) {
    SCOPED_TRACE(flags);
    // The commands before this one may have had all of its steps: with clang 15 another output is no other step.
    EXPECT_EQ(cache_.control("--clear").exit_code, 0);
    const Counts cold = check(with(flags));
    EXPECT_EQ(cold.misses + cold.partials, 1);
    const Counts warm = check(with(flags));
    EXPECT_EQ(warm.hits, 1);
    EXPECT_EQ(warm.run.at("device") + warm.run.at("host"), 0);
  }

  void expect_pass_through(const std::string& flags, const std::string& reason, const Arguments& driver = {}) {
    SCOPED_TRACE(flags);
    const Counts counted = oracle_.check((driver.empty() ? GetParam().hip() : driver) + words(flags));
    EXPECT_EQ(counted.passed, 1);
    EXPECT_EQ(counted.reasons.contains(reason) ? counted.reasons.at(reason) : 0, 1) << counted.json.at("not_cached");
    EXPECT_EQ(counted.run.at("device"), 0);
  }
};

TEST_P(Commands, WithDepfilesOfEveryKindAreCached) {
  expect_miss_and_hit("--offload-arch=gfx906 -MD -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -MMD -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -MMD -MP -MF out/deps -MT some/target -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -MD -MQ odd$name -MF out/deps2 -c a.hip -o out/a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -Wp,-MD,out/deps3 -c a.hip -o a.o");
}

TEST_P(Commands, WithOutputsOfEveryNameAreCached) {
  expect_miss_and_hit("--offload-arch=gfx906 -c a.hip");
  expect_miss_and_hit("--offload-arch=gfx906 -c a.hip -o out/other.obj");
  expect_miss_and_hit("--offload-arch=gfx906 -c " + (project_ / "a.hip") + " -o" + (project_ / "out/absolute.o"));
}

TEST_P(Commands, WithArchsOfEverySpellingAreCached) {
  expect_miss_and_hit("-c a.hip -o default.o");
  expect_miss_and_hit("--offload-arch=gfx90a:sramecc+:xnack- --offload-arch=gfx90a:xnack+ -c a.hip -o ids.o");
  expect_miss_and_hit("--offload-arch=gfx906,gfx1030 --no-offload-arch=gfx906 -c a.hip -o less.o");
}

TEST_P(Commands, WithOptionsOfHostAndDeviceAreCached) {
  expect_miss_and_hit("--offload-arch=gfx906 @flags -include extra.h -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -O3 -ffast-math -fPIC -fno-exceptions -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -Xarch_device -DONLY=1 -Xarch_host -DONLY=2 -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -g -ffile-prefix-map=" + project_.path() + "=/src -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -nogpulib -mllvm -amdgpu-early-inline-all=true -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -Wall -Wextra -fdiagnostics-color=always -lunused -c a.hip -o a.o");
  expect_miss_and_hit("--offload-arch=gfx906 -cuid=mine -c a.hip -o a.o");
}

TEST_P(Commands, ThatAreNotACompileOfOneHipSourcePassThroughWithTheirReason) {
  project_.write("plain.cpp", "int plain() { return 1; }\n");
  const Arguments cxx{GetParam().program()};
  expect_pass_through("-c plain.cpp -o plain.o", "not-hip", cxx);
  expect_pass_through("plain.o -shared -o plain.so", "link", cxx);
  expect_pass_through("--offload-arch=gfx906 -E a.hip -o a.i", "preprocess-only");
  expect_pass_through("--offload-arch=gfx906 -fgpu-rdc -c a.hip -o rdc.o", "gpu-rdc");
  expect_pass_through("--offload-arch=gfx906 --offload-device-only -c a.hip -o device.o", "one-sided");
  expect_pass_through("--offload-arch=gfx906 -S a.hip -o a.s", "other-output");
  expect_pass_through("--offload-arch=gfx906 -save-temps -c a.hip -o saved.o", "save-temps");
  expect_pass_through("--offload-arch=gfx906 -gsplit-dwarf -g -c a.hip -o split.o", "split-dwarf");
  expect_pass_through("--offload-arch=gfx906 -no-such-option -c a.hip -o a.o", "unknown-option");
  // clang 15 prints the error and a plan all the same, and ends well.
  expect_pass_through("--offload-arch=gfx906 -c missing.hip -o a.o",
                      GetParam().version == "15" ? "plan-not-understood" : "probe-failed");
}

TEST_P(Commands, KeepTheUmaskOfTheirUser) {
  const mode_t before = umask(077);
  expect_miss_and_hit("--offload-arch=gfx906 -MD -c a.hip -o private.o");
  umask(before);
}

TEST_P(Commands, LeaveLinksDevicesAndReadOnlyOutputsToTheCompiler) {
  project_.write("real.o", "");
  project_.link("link.o", "real.o");
  expect_pass_through("--offload-arch=gfx906 -c a.hip -o link.o", "output-not-a-regular-file");
  expect_pass_through("--offload-arch=gfx906 -c a.hip -o /dev/null", "output-not-a-file");
}

TEST_P(Commands, HitUnderFakerootAsPackagersUseIt) {
  const auto compile = [this] {
    return run(Arguments{"fakeroot", hipcache_program()} + command(), project_.path(), cache_.variables());
  };
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  EXPECT_EQ(compile().exit_code, 0);
  const std::string cold = support::read_bytes(project_ / "a.o");
  fs::remove(project_ / "a.o");
  EXPECT_EQ(compile().exit_code, 0);
  EXPECT_TRUE(support::read_bytes(project_ / "a.o") == cold);
  const Counts counted = cache_.counts();
  EXPECT_EQ(counted.misses, 1);
  EXPECT_EQ(counted.hits, 1);
  EXPECT_TRUE(cold == expected_object(command()));
}

TEST_P(Commands, OfACompilerThatCannotBeTracedPassThroughWithThatReason) {
  project_.write("clang.c", "#include <stdio.h>\nint main(void) { return puts(\"compiled\") < 0; }\n");
  const std::string compiler = project_ / GetParam().program();
  ASSERT_EQ(run({"cc", "-static", "clang.c", "-o", compiler}, project_.path()).exit_code, 0);
  expect_pass_through("-x hip --offload-arch=gfx906 -c a.hip -o a.o", "untraceable-compiler", {compiler});
}

TEST_P(Commands, PlannedShowWhatIsStoredAndRunNothing) {
  const nlohmann::json before = cache_.plan(command(), project_.path());
  EXPECT_FALSE(before.at("request_stored").get<bool>());
  ASSERT_EQ(before.at("steps").size(), 4u);
  check(command());
  const nlohmann::json after = cache_.plan(command(), project_.path());
  EXPECT_TRUE(after.at("request_stored").get<bool>());
  EXPECT_EQ(after.at("cuid"), before.at("cuid"));
  for (const auto& step : after.at("steps")) {
    EXPECT_TRUE(step.at("stored").get<bool>()) << step;
    EXPECT_GT(step.at("inputs").get<int>(), 0) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Commands, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
