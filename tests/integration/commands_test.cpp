// Commands in circumstances that the table of command lines (fixtures/commands) cannot express. Examples are an unusual
// umask, links and devices as outputs, fakeroot, and a compiler that cannot be traced.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class Commands : public SingleCompile {
 protected:
  Arguments with(const std::string& flags) const { return GetParam().hip() + words(flags); }

  void expect_miss_and_hit(const std::string& flags) {
    SCOPED_TRACE(flags);
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

TEST_P(Commands, KeepTheUmaskOfTheirUser) {
  const mode_t before = umask(077);
  expect_miss_and_hit("--offload-arch=gfx906 -MD -c a.hip -o private.o");
  umask(before);
}

TEST_P(Commands, LeaveLinksDevicesAndReadOnlyOutputsToTheCompiler) {
  project_.write("real.o", "");
  project_.link("link.o", "real.o");
  expect_pass_through("--offload-arch=gfx906 -c a.hip -o link.o", "output-not-a-regular-file");
  expect_pass_through("--offload-arch=gfx906 -c a.hip -o /dev/zero", "output-not-a-file");
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

INSTANTIATE_TEST_SUITE_P(Compilers, Commands, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
