// Plans of links of relocatable device code, as recorded, and edits of them that are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/hip/jobs/link_jobs.h"
#include "compiler/hip/recorded_plans.h"

namespace hipcache::hip {
namespace {

using testing::accepted;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using testing::Edit;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kRecordedDirectory;
using ::testing::Not;
using testing::recorded;
using testing::refusal;
using testing::replaced;
using ::testing::StartsWith;

compiler::Invocation link_to(const std::string& output) {
  compiler::Invocation invocation;
  invocation.driver.links = true;
  invocation.object = output;
  return invocation;
}

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

std::vector<std::string> subjects(const Plan& plan) {
  std::vector<std::string> names;
  for (const Step& step : plan.steps)
    if (step.kind == StepKind::unbundle) names.push_back(step.subject);
  return names;
}

std::vector<Step> of_kind(const Plan& plan, StepKind kind) {
  std::vector<Step> steps;
  for (const Step& step : plan.steps)
    if (step.kind == kind) steps.push_back(step);
  return steps;
}

class RecordedLink : public ::testing::TestWithParam<const char*> {
 protected:
  static Plan plan(const std::string& name, const std::string& output = "app") {
    return accepted(recorded(GetParam() + ("-" + name)), link_to(output));
  }
};

TEST_P(RecordedLink, IsUnbundlesThenDevicesThenBundleThenLink) {
  std::vector<StepKind> kinds;
  for (const Step& step : plan("link").steps) kinds.push_back(step.kind);
  EXPECT_THAT(kinds, ElementsAre(StepKind::unbundle, StepKind::unbundle, StepKind::device, StepKind::device,
                                 StepKind::bundle, StepKind::link));
}

TEST_P(RecordedLink, TakesEachObjectApartOnceForHostAndDevices) {
  const Plan link = plan("link");
  EXPECT_THAT(subjects(link), ElementsAre("a.o", "b.o"));
  const Step& unbundle = link.steps[0];
  ASSERT_EQ(unbundle.outputs.size(), 3u);
  ASSERT_EQ(unbundle.commands.size(), 1u);
  EXPECT_THAT(unbundle.commands[0].argv, Contains("-input=a.o"));
  for (const StepOutput& output : unbundle.outputs) {
    EXPECT_THAT(unbundle.commands[0].argv, Contains("-output=" + placed(output.name)));
    EXPECT_EQ(output.place, "");
  }
  EXPECT_THAT(unbundle.inputs, IsEmpty());
  EXPECT_TRUE(unbundle.starts_others);
}

TEST_P(RecordedLink, GivesEachDeviceItsPartOfEachObject) {
  const Plan link = plan("link");
  const std::vector<Step> devices = of_kind(link, StepKind::device);
  EXPECT_EQ(devices[0].arch.name, testing::arch_order(GetParam())[0]);
  EXPECT_EQ(devices[1].arch.name, testing::arch_order(GetParam())[1]);
  EXPECT_THAT(devices[0].inputs, ElementsAre(link.steps[0].outputs[1].name, link.steps[1].outputs[1].name));
  EXPECT_THAT(devices[1].inputs, ElementsAre(link.steps[0].outputs[2].name, link.steps[1].outputs[2].name));
  EXPECT_THAT(devices[1].commands[0].argv, Contains(placed(devices[1].inputs[0])));
}

TEST_P(RecordedLink, MakesAnObjectOfTheFatbinByTheDriversOwnSource) {
  const Plan link = plan("link");
  const Step bundle = of_kind(link, StepKind::bundle)[0];
  ASSERT_EQ(bundle.commands.size(), 2u);
  ASSERT_EQ(bundle.files.size(), 1u);
  EXPECT_THAT(bundle.commands[1].argv, Contains(placed(bundle.files[0].name)));
  EXPECT_THAT(bundle.files[0].bytes, StartsWith("#       HIP Object Generator\n"));
  EXPECT_THAT(bundle.files[0].bytes, HasSubstr("  .incbin \"" + placed("hip.hipfb") + "\"\n"));
  EXPECT_THAT(bundle.commands[0].argv, Contains("-output=" + placed("hip.hipfb")));
  EXPECT_THAT(bundle.keyed, Contains(Contains(bundle.files[0].bytes)));
}

TEST_P(RecordedLink, EndsWithTheProgramOfHostPartsAndFatbin) {
  const Plan link = plan("link");
  const Step& last = link.steps.back();
  EXPECT_THAT(last.outputs, ElementsAre(StepOutput{"program", "program", "app"}));
  EXPECT_THAT(last.inputs, ElementsAre(link.steps[0].outputs[0].name, link.steps[1].outputs[0].name, "hip.o"));
  EXPECT_THAT(last.commands[0].argv, Contains(placed("program")));
  EXPECT_THAT(last.commands[0].argv, Not(Contains("app")));
  EXPECT_EQ(last.unproven, "");
}

TEST_P(RecordedLink, TakesAnArchiveApartForEachArch) {
  const Plan link = plan("link-archive");
  ASSERT_EQ(of_kind(link, StepKind::unbundle).size(), 3u);
  const auto part = [](const std::string& arch) {
    return AllOf(StartsWith("./libb.a hip-amdgcn-"), EndsWith("-" + arch));
  };
  const auto [first, second] = testing::arch_order(GetParam());
  EXPECT_THAT(subjects(link), ElementsAre("a.o", part(first), part(second)));
  const std::vector<Step> devices = of_kind(link, StepKind::device);
  EXPECT_THAT(devices[0].inputs, ElementsAre(link.steps[0].outputs[1].name, link.steps[1].outputs[0].name));
  EXPECT_THAT(devices[1].inputs, ElementsAre(link.steps[0].outputs[2].name, link.steps[2].outputs[0].name));
  EXPECT_THAT(link.steps.back().commands[0].argv, Contains("-lb"));
}

TEST_P(RecordedLink, MayMakeASharedLibrary) {
  const Plan link = plan("link-shared", "libapp.so");
  EXPECT_EQ(link.steps.back().outputs[0].place, "libapp.so");
  EXPECT_EQ(of_kind(link, StepKind::device).size(), 1u);
}

TEST_P(RecordedLink, HasNoNamesOfIntermediateFilesInItsCommandsAndKeys) {
  for (const char* name : {"link", "link-archive"}) {
    for (const Step& step : plan(name).steps) {
      for (const StepCommand& command : step.commands)
        EXPECT_THAT(command.argv, Each(Not(HasSubstr(kRecordedDirectory))));
      for (const std::vector<std::string>& keyed : step.keyed)
        EXPECT_THAT(keyed, Each(Not(HasSubstr(kRecordedDirectory))));
      EXPECT_TRUE(step.prints_temporary_paths);
    }
  }
}

TEST_P(RecordedLink, HasTheSameDeviceKeysWhateverElseIsLinked) {
  const auto of_gfx906 = [](const Plan& link) {
    for (const Step& step : of_kind(link, StepKind::device))
      if (step.arch.name == "gfx906") return step;
    return Step();
  };
  const Step both = of_gfx906(plan("link"));
  const Step archive = of_gfx906(plan("link-archive"));
  const Step shared = of_kind(plan("link-shared", "libapp.so"), StepKind::device)[0];
  EXPECT_EQ(both.keyed, archive.keyed);
  EXPECT_EQ(both.keyed, shared.keyed);
}

TEST_P(RecordedLink, IsRefusedWhenItIsCutOffAnywhere) {
  testing::expect_refused_in_part(recorded(GetParam() + std::string("-link-shared")), link_to("libapp.so"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, RecordedLink,
                         ::testing::Values("clang-15", "clang-19", "clang-21", "clang-22", "clang-23", "hipcc-7"));

class EditedLink : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedLink, IsRefusedForWhatWasEdited) {
  testing::expect_refused(recorded("clang-19-link"), link_to("app"), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, EditedLink,
    ::testing::Values(Edit{"\"-unbundle\"", "\"-unbundle\" \"-such-an-option\"", "-such-an-option"},
                      Edit{"\"-unbundle\"", "\"-unbundle\" \"-output=/tmp/probe/x\"", "more or less"},
                      Edit{"\"-input=a.o\"", "\"-input=/tmp/probe/a.o\"", "file of its own"},
                      Edit{"\"-input=a.o\" ", "", "without an input"},
                      Edit{"\"-output=/tmp/probe/", "\"-output=/tmp/other/", "outside"},
                      Edit{"\"-output=/tmp/probe/", "\"-output=/tmp/probe/../", "outside"},
                      Edit{"\"--no-undefined\"", "\"-Map=x\"", "-Map=x"},
                      Edit{"\"--whole-archive\" \"-o\"", "\"--whole-archive\" \"/usr/lib/x.o\" \"-o\"", "none of its"},
                      Edit{"\"--filetype=obj\"", "\"--filetype=obj\" \"-g\"", "-g"},
                      Edit{"bin/llvm-mc\"", "bin/other\"", "assembler"},
                      Edit{"  .p2align", "  .include \"x\"\n  .p2align", ".include"},
                      Edit{"  .incbin \"", "  .incbin \"x", ".incbin"},
                      Edit{"  .p2align", "something new\n  .p2align", "something new"},
                      Edit{"#       HIP Object Generator\n", "", "line that is not understood"},
                      Edit{"\"-o\" \"app\"", "\"-o\" \"other\"", "writes other instead of app"},
                      Edit{"\"-o\" \"app\"", "\"-o\" \"app\" \"-o\" \"app\"", "exactly one output"},
                      Edit{"\"-o\" \"app\"", "\"-o\" \"app\" \"/tmp/probe/x.o\"", "none of its jobs makes"},
                      Edit{"\"-o\" \"app\"", "\"-o\" \"app\" \"--x=/tmp/probe/x.o\"", "names a temporary file"},
                      Edit{"\"/usr/bin/ld\"", "\"ld\"", "has not found"}));

TEST(Link, MayHaveTheCompilerAssembleTheFatbin) {
  const Plan link = accepted(recorded("clang-22-link"), link_to("app"));
  ASSERT_EQ(link.steps.size(), 6u);
  const Step& bundle = link.steps[4];
  ASSERT_EQ(bundle.commands.size(), 2u);
  EXPECT_THAT(bundle.commands[1].argv, Contains("assembler"));
  EXPECT_THAT(bundle.commands[1].argv, Contains(placed("hip.mcin")));
  EXPECT_THAT(refusal(replaced(recorded("clang-22-link"), "\"assembler\"", "\"c++\""), link_to("app")),
              HasSubstr("assembler"));
}

TEST(Link, IsOneStepByTheNewDriver) {
  for (const char* name : {"clang-15-new-driver-link", "clang-19-new-driver-link"}) {
    const Plan link = accepted(recorded(name), link_to("app"));
    ASSERT_EQ(link.steps.size(), 1u);
    const Step& step = link.steps[0];
    EXPECT_EQ(step.kind, StepKind::link);
    EXPECT_THAT(step.outputs, ElementsAre(StepOutput{"program", "program", "app"}));
    EXPECT_THAT(step.commands[0].argv, Contains(placed("program")));
    EXPECT_THAT(step.commands[0].argv, Not(Contains("app")));
    EXPECT_THAT(step.keyed[0], Contains("<program>"));
    EXPECT_TRUE(step.starts_others);
    EXPECT_EQ(step.unproven, "");
  }
}

TEST(Link, ByTheNewDriverIsRunEachTimeWithAnOptionThatMayDoWhatNoTraceShows) {
  const std::string printed = recorded("clang-19-new-driver-link");
  for (const char* option : {"-Map=x", "--save-temps", "--device-compiler=amdgcn-amd-amdhsa=-ftime-report"}) {
    const std::string edited = replaced(printed, "\"--build-id\"", '"' + std::string(option) + '"');
    EXPECT_EQ(accepted(edited, link_to("app")).steps[0].unproven, option);
  }
}

class EditedWrappedLink : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedWrappedLink, IsRefusedForWhatWasEdited) {
  testing::expect_refused(recorded("clang-19-new-driver-link"), link_to("app"), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Table, EditedWrappedLink,
                         ::testing::Values(Edit{"\"-o\" \"app\"", "\"-o\" \"other\"", "writes other instead of app"},
                                           Edit{"\"-o\" \"app\"", "\"-o\" \"app\" \"-o\" \"app\"",
                                                "exactly one output"},
                                           Edit{"\"a.o\"", "\"/tmp/probe/x.o\"", "none of its jobs makes"},
                                           Edit{"\"a.o\"", "\"--x=/tmp/probe/x.o\"", "names a temporary file"}));

TEST(Link, IsNotOfACompilesJobsNorACompileOfALinks) {
  EXPECT_NE(refusal(recorded("clang-19-O2"), link_to("a.o")), "accepted");
  EXPECT_NE(refusal(recorded("clang-19-rdc"), link_to("a.o")), "accepted");
  EXPECT_NE(refusal(recorded("clang-19-link"), testing::invocation_of_a()), "accepted");
}

class LinkerOption : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string unproven() {
    const std::string options = "\"-o\" \"app\" \"" + std::string(GetParam()) + "\"";
    return accepted(replaced(recorded("clang-19-link"), "\"-o\" \"app\"", options), link_to("app"))
        .steps.back()
        .unproven;
  }
};

using KnownLinkerOption = LinkerOption;
TEST_P(KnownLinkerOption, LetsTheLinkBeStored) { EXPECT_EQ(unproven(), ""); }
INSTANTIATE_TEST_SUITE_P(Table, KnownLinkerOption,
                         ::testing::Values("--build-id", "--build-id=sha1", "--as-needed", "-znow", "-lm", "-L/x", "-(",
                                           "--version-script=x.map", "-soname=libx.so", "x.lds", "/usr/lib/libx.so",
                                           "-Bsymbolic", "--rpath=/x", "-s", "-O1"));

using UnknownLinkerOption = LinkerOption;
TEST_P(UnknownLinkerOption, LetsTheLinkRunEachTime) { EXPECT_EQ(unproven(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Table, UnknownLinkerOption,
                         ::testing::Values("--build-id=uuid", "-build-id=uuid", "-Map=x.map", "@more", "--stats",
                                           "--such-an-option", "-plugin", "--time-trace", "--trace", "-", "--",
                                           "--shuffle-sections=*=0", "-as-needed build-id"));

TEST(FatbinSource, IsTakenOutOfWhatIsPrintedAroundIt) {
  const std::string source = "#       HIP Object Generator\n# more\n  .globl x\n__hip_x:\n  .incbin \"/t/f\"\n";
  std::string printed = "before\n" + source + "after\n";
  EXPECT_EQ(take_fatbin_source(printed), source);
  EXPECT_EQ(printed, "before\nafter\n");
  EXPECT_EQ(take_fatbin_source(printed), "");
  EXPECT_EQ(printed, "before\nafter\n");
}

TEST(FatbinSource, IncludesAnotherFatbinInItsPlace) {
  const std::string source = "#       HIP Object Generator\n  .incbin \"/t/f\"\n";
  EXPECT_EQ(*fatbin_source_with(source, "/t/f", "/u/g"), "#       HIP Object Generator\n  .incbin \"/u/g\"\n");
  EXPECT_FALSE(fatbin_source_with(source, "/t/g", "/u/g"));
  EXPECT_FALSE(fatbin_source_with(source + "  .incbin \"/t/f\"\n", "/t/f", "/u/g"));
  EXPECT_FALSE(fatbin_source_with("", "/t/f", "/u/g"));
}

}  // namespace
}  // namespace hipcache::hip
