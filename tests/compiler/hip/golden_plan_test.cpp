// Plans of real compilers, as recorded: what becomes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "compiler/hip/recorded_plans.h"

namespace hipcache::hip {
namespace {

using testing::accepted;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::invocation_of_a;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::recorded;
using testing::replaced;
using ::testing::StartsWith;

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

std::vector<std::string> outputs(const Plan& plan) {
  std::vector<std::string> names;
  for (const Step& step : plan.steps) names.push_back(step.outputs.front().name);
  return names;
}

const Step& device_of(const Plan& plan, const std::string& arch) {
  for (const Step& step : plan.steps) {
    if (step.arch.name == arch) return step;
  }
  ADD_FAILURE() << "no " << arch;
  return plan.steps.front();
}

class RecordedPlan : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string of(const std::string& name) { return recorded(GetParam() + ("-" + name)); }

  static std::string first() { return testing::arch_order(GetParam())[0]; }
  static std::string second() { return testing::arch_order(GetParam())[1]; }
};

TEST_P(RecordedPlan, IsDevicesThenBundleThenHost) {
  const Plan plan = accepted(of("O2"), invocation_of_a());
  EXPECT_THAT(outputs(plan), ElementsAre(first() + ".out", second() + ".out", "fatbin.hipfb", "host.o"));
  ASSERT_EQ(plan.steps.size(), 4u);
  EXPECT_EQ(plan.steps[0].kind, StepKind::device);
  EXPECT_EQ(plan.steps[2].kind, StepKind::bundle);
  EXPECT_EQ(plan.steps[3].kind, StepKind::host);
  EXPECT_EQ(plan.steps[0].commands.size(), 2u);
  EXPECT_THAT(plan.steps[0].inputs, IsEmpty());
  EXPECT_THAT(plan.steps[2].inputs, ElementsAre(first() + ".out", second() + ".out"));
  EXPECT_THAT(plan.steps[3].inputs, ElementsAre("fatbin.hipfb"));
  EXPECT_THAT(plan.driver_stderr, IsEmpty());
}

TEST_P(RecordedPlan, PutsEveryIntermediateFileIntoTheDirectory) {
  const Plan plan = accepted(of("O2"), invocation_of_a());
  EXPECT_THAT(plan.steps[0].commands[0].argv, Contains(placed(first() + ".o")));
  EXPECT_THAT(plan.steps[0].commands[1].argv, Contains(placed(first() + ".o")));
  EXPECT_THAT(plan.steps[0].commands[1].argv, Contains(placed(first() + ".out")));
  EXPECT_THAT(plan.steps[2].commands[0].argv, Contains("-input=/dev/null"));
  EXPECT_THAT(plan.steps[2].commands[0].argv, Contains("-input=" + placed(second() + ".out")));
  EXPECT_THAT(plan.steps[2].commands[0].argv, Contains("-output=" + placed("fatbin.hipfb")));
  EXPECT_THAT(plan.steps[3].commands[0].argv, Contains(placed("fatbin.hipfb")));
  EXPECT_THAT(plan.steps[3].commands[0].argv, Contains(placed("host.o")));
  EXPECT_THAT(plan.steps[3].commands[0].argv, Not(Contains("a.o")));
  for (const Step& step : plan.steps) {
    for (const StepCommand& command : step.commands) {
      EXPECT_EQ(command.program, command.argv[0]);
      EXPECT_THAT(command.argv, Not(Contains(HasSubstr(testing::kRecordedDirectory))));
    }
  }
}

TEST_P(RecordedPlan, PutsEveryDepfileIntoTheDirectory) {
  const Plan plan = accepted(of("g-depfile"), invocation_of_a(true));
  const std::set<std::string_view> by_host_alone{"clang-21", "clang-22", "clang-23", "hipcc-7"};
  const bool by_devices = !by_host_alone.contains(GetParam());
  EXPECT_EQ(plan.steps[0].depfile, by_devices ? first() + ".d" : "");
  EXPECT_EQ(plan.steps[2].depfile, "");
  EXPECT_EQ(plan.steps[3].depfile, "host.d");
  EXPECT_THAT(plan.steps[0].commands[0].argv, Contains(placed(first() + ".d")).Times(by_devices ? 1 : 0));
  EXPECT_THAT(plan.steps[3].commands[0].argv, Contains(placed("host.d")));
  EXPECT_THAT(plan.steps[3].commands[0].argv, Not(Contains("a.d")));
}

TEST_P(RecordedPlan, NamesFilesOfArchsWithFeatures) {
  const Plan plan = accepted(of("three-archs"), invocation_of_a());
  ASSERT_EQ(plan.steps.size(), 5u);
  EXPECT_EQ(device_of(plan, "gfx90a:sramecc+:xnack-").outputs.front().name, "gfx90a.sramecc+.xnack-.out");
}

TEST_P(RecordedPlan, KeysADeviceWithoutNamesOfIntermediateFilesOrDepfile) {
  const Plan plan = accepted(of("g-depfile"), invocation_of_a(true));
  const Step& step = plan.steps[0];
  ASSERT_EQ(step.keyed.size(), 2u);
  for (const auto& key : step.keyed) EXPECT_THAT(key, Not(Contains(HasSubstr(kDirectory))));
  for (const char* gone : {"-dependency-file", "-MT", "a.d", "a.o", "-sys-header-deps"}) {
    EXPECT_THAT(step.keyed[0], Not(Contains(gone)));
  }
  EXPECT_THAT(step.keyed[0], Contains("-cuid=0123456789abcdef"));
  EXPECT_THAT(step.keyed[0], Contains(first()));
  EXPECT_THAT(step.keyed[0], Contains("a.hip"));
}

TEST_P(RecordedPlan, KeysTheHostWithWhatShapesItsDepfile) {
  const std::vector<std::string> key = accepted(of("g-depfile"), invocation_of_a(true)).steps.back().keyed[0];
  for (const char* kept : {"-dependency-file", "-MT", "a.o", "-sys-header-deps"}) EXPECT_THAT(key, Contains(kept));
  EXPECT_THAT(key, Not(Contains("a.d")));
}

TEST_P(RecordedPlan, KeysTheWorkingDirectoryOnlyWhereDebugInformationHoldsIt) {
  const auto with = accepted(of("g-depfile"), invocation_of_a(true));
  const auto without = accepted(of("O2"), invocation_of_a());
  for (std::size_t step : {std::size_t{0}, std::size_t{3}}) {
    EXPECT_THAT(with.steps[step].keyed[0], Contains("-fdebug-compilation-dir=/build"));
    EXPECT_THAT(without.steps[step].keyed[0], Not(Contains(HasSubstr("compilation-dir"))));
    EXPECT_THAT(without.steps[step].commands[0].argv, Contains("-fdebug-compilation-dir=/build"));
  }
}

TEST_P(RecordedPlan, IsDevicesThenHostThenBundleInRelocatableDeviceCode) {
  const Plan plan = accepted(of("rdc"), invocation_of_a());
  const std::string ending = GetParam() == std::string_view("clang-23") ? ".o" : ".bc";  // as the driver's own files
  EXPECT_THAT(outputs(plan), ElementsAre(first() + ending, second() + ending, "host.o", "bundle.o"));
  ASSERT_EQ(plan.steps.size(), 4u);
  EXPECT_EQ(plan.steps[1].kind, StepKind::device);
  EXPECT_EQ(plan.steps[1].arch.name, second());
  EXPECT_EQ(plan.steps[1].commands.size(), 1u);
  EXPECT_EQ(plan.steps[2].kind, StepKind::host);
  EXPECT_THAT(plan.steps[2].inputs, IsEmpty());
  EXPECT_EQ(plan.steps[3].kind, StepKind::bundle);
  EXPECT_THAT(plan.steps[3].inputs, ElementsAre(first() + ending, second() + ending, "host.o"));
  EXPECT_THAT(plan.steps[3].commands[0].argv, Contains("-input=" + placed("host.o")));
  EXPECT_THAT(plan.steps[3].commands[0].argv, Contains("-output=" + placed("bundle.o")));
}

TEST_P(RecordedPlan, GivesTheUserWhatTheLastJobWrites) {
  const auto places = [](const Plan& plan) {
    std::vector<std::string> all;
    for (const Step& step : plan.steps) all.push_back(step.outputs.front().place);
    return all;
  };
  EXPECT_THAT(places(accepted(of("O2"), invocation_of_a())), ElementsAre("", "", "", "a.o"));
  EXPECT_THAT(places(accepted(of("rdc"), invocation_of_a())), ElementsAre("", "", "", "a.o"));
}

std::vector<bool> can_be_halved(const Plan& plan) {
  std::vector<bool> all;
  for (const Step& step : plan.steps) all.push_back(step.split_codegen.has_value());
  return all;
}

TEST_P(RecordedPlan, SplitsTheCodegenOfADeviceThatIsOptimised) {
  const Plan plan = accepted(of("O2"), invocation_of_a());
  EXPECT_THAT(can_be_halved(plan), ElementsAre(true, true, false, false));
  ASSERT_TRUE(plan.deferred_fatbin);
  EXPECT_THAT(can_be_halved({plan.deferred_fatbin->steps, ""}), ElementsAre(true, true, false, false));
  const SplitCodegen& split_codegen = *plan.steps[0].split_codegen;
  EXPECT_EQ(split_codegen.bitcode, first() + ".front.bc");
  for (const char* there : {"-emit-llvm-bc", "-disable-llvm-passes", "-emit-llvm-uselists", "-mlink-builtin-bitcode",
                            "-internal-isystem", "hip", "a.hip", "-O2"})
    EXPECT_THAT(split_codegen.front.argv, Contains(there));
  EXPECT_THAT(split_codegen.front.argv, Contains(placed(first() + ".front.bc")));
  EXPECT_THAT(split_codegen.front.argv, Not(Contains("-emit-obj")));

  ASSERT_EQ(split_codegen.back.size(), 2u);
  const std::vector<std::string>& back = split_codegen.back[0].argv;
  for (const std::string& there : {std::string("-emit-obj"), std::string("ir"), std::string("-O2"), first(),
                                   std::string("-Weverything"), std::string("-cuid=0123456789abcdef")})
    EXPECT_THAT(back, Contains(there));
  for (const std::string& file : {placed(first() + ".front.bc"), placed(first() + ".o")})
    EXPECT_THAT(back, Contains(file));
  for (const char* gone : {"-disable-llvm-passes", "-mlink-builtin-bitcode", "-internal-isystem"})
    EXPECT_THAT(back, Not(Contains(gone)));
  EXPECT_EQ(split_codegen.back[1].argv, plan.steps[0].commands[1].argv);

  std::vector<std::string> both = split_codegen.front.argv;
  both.emplace_back(kThen);
  both.insert(both.end(), back.begin(), back.end());
  both.insert(both.end(), {kThen, split_codegen.back[1].program});
  both.insert(both.end(), split_codegen.back[1].argv.begin(), split_codegen.back[1].argv.end());
  EXPECT_EQ(split_codegen.both.argv, both);
  EXPECT_EQ(split_codegen.both.program, split_codegen.front.program);
}

TEST_P(RecordedPlan, SplitsNoCompileWhoseObjectDependsOnMoreThanItsBitcode) {
  const std::vector<bool> none(4, false);
  EXPECT_EQ(can_be_halved(accepted(of("O0"), invocation_of_a())), none);
  EXPECT_EQ(can_be_halved(accepted(of("g-depfile"), invocation_of_a(true))), none);
  EXPECT_EQ(can_be_halved(accepted(of("rdc"), invocation_of_a())), none);
  EXPECT_EQ(can_be_halved(accepted(of("offload-lto"), invocation_of_a())), none);
}

TEST_P(RecordedPlan, ProvesTheSplitForAllSourcesAndIds) {
  const std::string printed = of("O2");
  const auto proven = [](const std::string& text) {
    return accepted(text, invocation_of_a()).steps[0].split_codegen->proof->keyed;
  };
  const std::vector<std::vector<std::string>> all = proven(printed);
  ASSERT_EQ(all.size(), 2u);  // the commands, and the source that they are tried on
  for (const std::string gone : {"a.hip", "-main-file-name", "-cuid=0123456789abcdef", "-mlink-builtin-bitcode"})
    EXPECT_THAT(all[0], Not(Contains(gone)));
  EXPECT_THAT(all[0], Contains(first()));
  EXPECT_EQ(proven(replaced(printed, "\"-cuid=", "\"-Wall\" \"-w\" \"-D\" \"X\" \"-cuid=")), all);
  EXPECT_NE(proven(replaced(printed, "\"-cuid=", "\"-fno-rtti\" \"-cuid=")), all);
}

TEST_P(RecordedPlan, SplitsNoCompileWithAnyOtherOption) {
  const std::string printed = of("O2");
  for (const char* more : {"-Rpass=inline", "-Og", "-O4", "-O0", "-fsanitize=undefined", "-debug-info-kind=limited",
                           "-ffast-math", "-ffp-contract=fast", "-fno-builtin"}) {
    const std::string edited = replaced(printed, "\"-cuid=", "\"" + std::string(more) + "\" \"-cuid=");
    EXPECT_FALSE(accepted(edited, invocation_of_a()).steps[0].split_codegen) << more;
  }
}

// Bitcode packs text by bits, assembly escapes it.
TEST_P(RecordedPlan, TellsWhichStepsHideTheNamesThatTheyWrite) {
  const auto hiding = [](const Plan& plan) {
    std::vector<bool> all;
    for (const Step& step : plan.steps) all.push_back(step.hashes_names);
    return all;
  };
  EXPECT_THAT(hiding(accepted(of("rdc"), invocation_of_a())), ElementsAre(true, true, false, false));
  EXPECT_THAT(hiding(accepted(of("assembly"), invocation_of_a())), ElementsAre(true, true, true, false));
  EXPECT_THAT(hiding(accepted(of("offload-lto"), invocation_of_a())), ElementsAre(false, false, false, false));
}

// -O0 and -O2 differ, so the plans compared are of equal options: clang 15 repeats search paths once per arch.
TEST_P(RecordedPlan, KeysAnArchTheSameWhereverItStands) {
  const std::string printed = of("three-archs");
  const Plan three = accepted(printed, invocation_of_a());
  const Plan two = accepted(of("O0"), invocation_of_a());
  EXPECT_EQ(device_of(three, "gfx906").keyed, device_of(two, "gfx906").keyed);
  EXPECT_EQ(three.steps.back().keyed, two.steps.back().keyed);
}

INSTANTIATE_TEST_SUITE_P(Compilers, RecordedPlan,
                         ::testing::Values("clang-15", "clang-19", "clang-21", "clang-22", "clang-23", "hipcc-7"),
                         [](const auto& row) { return replaced(row.param, "-", ""); });

TEST(GoldenPlan, HoldsDevicesAlone) {
  const Plan plan = accepted(recorded("clang-19-device-only"), invocation_of_a());
  EXPECT_THAT(outputs(plan), ElementsAre("gfx1030.out", "gfx906.out", "bundle.o"));
  EXPECT_EQ(plan.steps.back().outputs.front().place, "a.o");
}

TEST(GoldenPlan, HoldsTheHostAloneWithoutAnId) {
  const Plan plan = accepted(recorded("clang-19-host-only"), invocation_of_a());
  EXPECT_THAT(outputs(plan), ElementsAre("host.o"));
  EXPECT_TRUE(plan.steps[0].inputs.empty());
  EXPECT_EQ(plan.steps[0].outputs.front().place, "a.o");
}

TEST(GoldenPlan, HoldsBitcodeThatTheHostTakesInByTheNewDriver) {
  for (const char* name : {"clang-15-new-driver-rdc", "clang-19-new-driver-rdc", "clang-21-new-driver-rdc",
                           "clang-22-new-driver-rdc", "clang-23-new-driver-rdc", "hipcc-7-new-driver-rdc"}) {
    const Plan plan = accepted(recorded(name), invocation_of_a());
    ASSERT_EQ(plan.steps.size(), 4u);
    const Step& package = plan.steps[2];
    const Step& host = plan.steps[3];
    EXPECT_EQ(host.inputs, std::vector<std::string>{package.outputs.front().name});
    EXPECT_THAT(package.keyed[0], Contains("--image=file=<device>,triple=amdgcn-amd-amdhsa,arch=gfx906,kind=hip"));
    EXPECT_THAT(host.keyed[0], Contains("-fembed-offload-object=<fatbin>"));
    EXPECT_EQ(package.inputs.size(), 2u);
    EXPECT_TRUE(device_of(plan, "gfx906").hashes_names);
  }
}

TEST(GoldenPlan, HasAClangThatHidesTheBackEndsRunThemAllInTheBundle) {
  const Plan plan = accepted(recorded("clang-22-new-driver"), invocation_of_a());
  EXPECT_THAT(outputs(plan), ElementsAre("package-amdgcn-amd-amdhsa-gfx1030-000000.o",
                                         "package-amdgcn-amd-amdhsa-gfx906-000000.o", "fatbin.hipfb", "host.o"));
  const Step& bundle = plan.steps[2];
  ASSERT_EQ(bundle.commands.size(), 2u);
  EXPECT_THAT(bundle.commands[0].argv, Contains(placed("package.out")));
  EXPECT_THAT(bundle.commands[1].argv, Contains(placed("package.out")));
  EXPECT_THAT(bundle.commands[1].argv, Contains(placed("fatbin.hipfb")));
  EXPECT_THAT(bundle.keyed[1], Contains("--device-compiler=amdgcn-amd-amdhsa=-O2"));
  for (const auto& key : bundle.keyed) EXPECT_THAT(key, Not(Contains(HasSubstr(kDirectory))));
  EXPECT_TRUE(bundle.starts_others);
}

TEST(GoldenPlan, HoldsBitcodeOfTheHostForTheLinker) {
  const Plan plan = accepted(recorded("clang-19-lto"), invocation_of_a());
  EXPECT_THAT(outputs(plan), ElementsAre("gfx1030.out", "gfx906.out", "fatbin.hipfb", "host.bc"));
  EXPECT_TRUE(plan.steps.back().hashes_names);
}

StepOutput beside(const char* role, const char* name, const char* place) {
  return {.role = role, .name = name, .place = place, .beside = true};
}

TEST(GoldenPlan, GivesTheUserTheSplitDebugInformationOfEveryTarget) {
  const Plan plan = accepted(recorded("clang-19-split-dwarf"), invocation_of_a());
  ASSERT_EQ(plan.steps.size(), 4u);
  EXPECT_THAT(plan.steps[0].outputs, Contains(beside("split-dwarf", "gfx1030.dwo", "a_gfx1030.dwo")));
  EXPECT_THAT(plan.steps[1].outputs, Contains(beside("split-dwarf", "gfx906.dwo", "a_gfx906.dwo")));
  EXPECT_THAT(plan.steps[3].outputs, Contains(beside("split-dwarf", "host.dwo", "a.dwo")));
  EXPECT_THAT(plan.steps[0].keyed[0], Contains("a_gfx1030.dwo"));  // the name in the object
}

TEST(GoldenPlan, CompressesTheFatbin) {
  for (const auto& [name, option] : {std::pair("clang-19-compress", "-compress"),
                                     {"clang-21-compress", "-compress"},
                                     {"clang-22-compress", "--compress"},
                                     {"clang-23-compress", "--compress"}})
    EXPECT_THAT(accepted(recorded(name), invocation_of_a()).steps[2].keyed[0], Contains(option));
}

// What is stored of a step is found by role: a role that told whose file it is would make the results of one command
// useless to the other one.
TEST(GoldenPlan, GivesTheSameOutputsTheSameRolesInAWholeObjectAndInTheDevicesAlone) {
  const auto roles = [](const Step& step) {
    std::vector<std::string> names;
    for (const StepOutput& output : step.outputs) names.push_back(output.role);
    return names;
  };
  const Plan whole = accepted(recorded("clang-19-O2"), invocation_of_a());
  const Plan devices = accepted(recorded("clang-19-device-only"), invocation_of_a());
  ASSERT_EQ(devices.steps.size(), 3u);
  for (std::size_t step : {0, 1, 2}) EXPECT_EQ(roles(devices.steps[step]), roles(whole.steps[step]));
  EXPECT_EQ(devices.steps[2].outputs[0].place, "a.o");
  EXPECT_EQ(whole.steps[2].outputs[0].place, "");
}

TEST(GoldenPlan, HoldsOneArch) {
  EXPECT_THAT(outputs(accepted(recorded("clang-19-one-arch"), invocation_of_a())),
              ElementsAre("gfx906.out", "fatbin.hipfb", "host.o"));
}

TEST(GoldenPlan, KeepsTheDriversWarningsWithTheirColour) {
  const Plan plan = accepted(recorded("clang-19-warning"), invocation_of_a());
  EXPECT_THAT(plan.driver_stderr, StartsWith("clang++-19: \x1b[0;1;35mwarning: "));
  EXPECT_THAT(plan.driver_stderr, HasSubstr("'linker' input unused"));
  EXPECT_EQ(plan.driver_stderr.back(), '\n');
}

TEST(GoldenPlan, UndoesTheQuotingAlsoAcrossLines) {
  const Plan plan = accepted(recorded("clang-19-quoting"), invocation_of_a());
  EXPECT_THAT(plan.steps[0].commands[0].argv, Contains("TEXT=\"a b\\$c`\\\\\nd\""));
}

TEST(GoldenPlan, ReadsConfigurationFilesInTheBanner) {
  const std::string printed = testing::replaced(
      recorded("clang-19-O2"), "InstalledDir: ", "Configuration file: /etc/clang/x.cfg\nInstalledDir: ");
  EXPECT_EQ(accepted(printed, invocation_of_a()).steps.size(), 4u);
}

TEST(GoldenPlan, ReadsTheCommaListsOfOlderBundlers) {
  std::string printed = recorded("clang-15-O2");
  printed = testing::replaced(printed, "\"-input=/dev/null\" \"-input=", "\"-inputs=/dev/null,");
  printed = testing::replaced(printed, "gfx1030.out\" \"-input=", "gfx1030.out,");
  printed = testing::replaced(printed, "\"-output=", "\"-outputs=");
  const Plan plan = accepted(printed, invocation_of_a());
  EXPECT_THAT(plan.steps[2].commands[0].argv,
              Contains("-inputs=/dev/null," + placed("gfx1030.out") + "," + placed("gfx906.out")));
  EXPECT_THAT(plan.steps[2].commands[0].argv, Contains("-outputs=" + placed("fatbin.hipfb")));
}

}  // namespace
}  // namespace hipcache::hip
