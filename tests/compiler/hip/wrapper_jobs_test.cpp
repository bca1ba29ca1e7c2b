// What linker wrappers say that they would start, as recorded: which steps become of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/hip/recorded_plans.h"

namespace hipcache::hip {
namespace {

using testing::accepted;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::invocation_of_a;
using testing::kRecordedDirectory;
using ::testing::Not;
using testing::recorded;
using testing::replaced;

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

std::vector<StepKind> kinds(const std::vector<Step>& steps) {
  std::vector<StepKind> all;
  for (const Step& step : steps) all.push_back(step.kind);
  return all;
}

std::vector<Step> of_kind(const std::vector<Step>& steps, StepKind kind) {
  std::vector<Step> found;
  for (const Step& step : steps)
    if (step.kind == kind) found.push_back(step);
  return found;
}

Plan planned(const std::string& name) {
  return accepted(recorded("clang-" + name), invocation_of_a(name.ends_with("depfile")));
}

std::string answer_of(const std::string& name) { return recorded("wrapper-" + name); }

// The error's message, or "taken"; a plan that was refused is as it was.
std::string outcome(const std::string& printed, const Plan& before) {
  Plan plan = before;
  const Status taken = take_back_ends(plan, printed, kRecordedDirectory);
  if (taken) return "taken";
  EXPECT_EQ(kinds(plan.steps), kinds(before.steps));
  EXPECT_EQ(kinds(plan.deferred_fatbin->steps), kinds(before.deferred_fatbin->steps));
  return taken.error().message;
}

class WrapperJobs : public ::testing::TestWithParam<const char*> {
 protected:
  static Plan taken() {
    Plan plan = planned(GetParam());
    const Status taken = take_back_ends(plan, answer_of(GetParam()), kRecordedDirectory);
    EXPECT_TRUE(taken) << taken.error().message;
    return plan;
  }
};

TEST_P(WrapperJobs, AreAskedForWithEmptyImages) {
  const Plan plan = planned(GetParam());
  ASSERT_TRUE(plan.question);
  const Step& question = *plan.question;
  ASSERT_EQ(question.commands.size(), 2U);
  EXPECT_THAT(question.commands[0].argv,
              Contains(HasSubstr("--image=file=/dev/null,triple=amdgcn-amd-amdhsa,arch=gfx906")));
  EXPECT_EQ(question.commands[1].argv[1], "--dry-run");
  EXPECT_THAT(question.commands[1].argv, Contains(placed("package.out")));
  EXPECT_THAT(question.outputs, ::testing::IsEmpty());
}

TEST_P(WrapperJobs, AreAStepForEachDeviceBetweenItsFrontEndAndTheBundle) {
  const Plan plan = taken();
  for (const std::vector<Step>* steps : {&plan.steps, &plan.deferred_fatbin->steps}) {
    const std::vector<Step> fronts = of_kind(*steps, StepKind::device);
    const std::vector<Step> backs = of_kind(*steps, StepKind::back_end);
    const std::vector<Step> bundles = of_kind(*steps, StepKind::bundle);
    ASSERT_EQ(backs.size(), fronts.size());
    ASSERT_EQ(bundles.size(), 1U);
    EXPECT_THAT(bundles[0].back_ends, ::testing::IsEmpty());
    for (std::size_t i = 0; i < backs.size(); ++i) {
      EXPECT_TRUE(fronts[i].is_front_end);
      EXPECT_FALSE(fronts[i].split_codegen);
      EXPECT_EQ(backs[i].inputs.size(), 1U);
      EXPECT_THAT(bundles[0].inputs, Contains(backs[i].outputs[0].name));
      EXPECT_THAT(bundles[0].inputs, Contains(backs[i].outputs[1].name));
      EXPECT_THAT(bundles[0].inputs, Contains(fronts[i].outputs[0].name));
    }
    for (const Step& back : backs) {
      const auto front =
          std::find_if(fronts.begin(), fronts.end(), [&](const Step& step) { return step.arch == back.arch; });
      ASSERT_NE(front, fronts.end());
      EXPECT_EQ(back.inputs[0], front->outputs[0].name);
      EXPECT_THAT(back.commands[0].argv, Contains(placed(back.inputs[0])));
      EXPECT_THAT(back.commands[0].argv, Contains(placed(back.outputs[0].name)));
      EXPECT_THAT(back.commands[0].argv, Contains("-mcpu=" + back.arch.name));
      EXPECT_TRUE(back.starts_others);
    }
  }
}

TEST_P(WrapperJobs, AreTheSameWhateverTheWrapperCallsItsFiles) {
  const Plan plan = taken();
  std::string other = answer_of(GetParam());
  for (std::size_t at = other.find(".img "); at != std::string::npos; at = other.find(".img ", at + 1))
    if (other[at - 7] == '-') other[at - 1] = other[at - 1] == '0' ? 'f' : '0';
  ASSERT_NE(other, answer_of(GetParam()));
  Plan again = planned(GetParam());
  ASSERT_TRUE(take_back_ends(again, other, kRecordedDirectory));
  const std::vector<Step> backs = of_kind(plan.steps, StepKind::back_end);
  const std::vector<Step> backs_again = of_kind(again.steps, StepKind::back_end);
  for (std::size_t i = 0; i < backs.size(); ++i) EXPECT_EQ(backs[i].keyed, backs_again[i].keyed);
  EXPECT_EQ(of_kind(plan.steps, StepKind::bundle)[0].files, of_kind(again.steps, StepKind::bundle)[0].files);
}

TEST_P(WrapperJobs, GiveTheBundleAnswers) {
  const Plan plan = taken();
  const Step bundle = of_kind(plan.steps, StepKind::bundle)[0];
  ASSERT_EQ(bundle.files.size(), 1U);
  EXPECT_EQ(bundle.files[0].name, kAnswers);
  EXPECT_TRUE(bundle.files[0].bytes.ends_with('\0'));
  for (const Step& back : of_kind(plan.steps, StepKind::back_end)) {
    EXPECT_THAT(bundle.files[0].bytes, HasSubstr(placed(back.outputs[0].name)));
    EXPECT_THAT(bundle.files[0].bytes, HasSubstr(placed(back.outputs[1].name)));
    EXPECT_THAT(bundle.files[0].bytes, HasSubstr("=-mcpu=" + back.arch.name));
  }
  EXPECT_THAT(bundle.files[0].bytes, Not(HasSubstr(kRecordedDirectory)));
}

TEST_P(WrapperJobs, AreRefusedWhereTheyAreCutOffAnywhere) {
  const std::string printed = answer_of(GetParam());
  const Plan plan = planned(GetParam());
  for (std::size_t length = 0; length < printed.size(); ++length)
    ASSERT_NE(outcome(printed.substr(0, length), plan), "taken") << length;
}

INSTANTIATE_TEST_SUITE_P(Compilers, WrapperJobs,
                         ::testing::Values("22-new-driver", "22-new-driver-three-archs", "22-new-driver-compress",
                                           "23-new-driver", "23-new-driver-g-depfile", "23-new-driver-three-archs",
                                           "23-new-driver-compress", "23-new-driver-mllvm", "23-new-driver-no-lto"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PlanWithoutAnAnswer, RunsTheBackEndsInTheBundle) {
  const Plan plan = planned("23-new-driver");
  EXPECT_EQ(kinds(plan.steps), (std::vector{StepKind::device, StepKind::device, StepKind::bundle, StepKind::host}));
  EXPECT_THAT(plan.steps[2].back_ends, ElementsAre(compiler::ArchId{"gfx1030"}, compiler::ArchId{"gfx906"}));
}

TEST(PlanWithoutAWrapper, HasNoQuestion) {
  EXPECT_FALSE(accepted(recorded("clang-19-O2"), invocation_of_a()).question);
  EXPECT_FALSE(planned("23-new-driver-rdc").question);
}

std::string text(const std::string& words) { return words + std::string(1, '\0'); }

std::string captured_compiler(const std::string& arch, const std::string& bitcode) {
  const std::string clang = "/usr/lib/llvm-23/bin/clang";
  std::string bytes = text(clang);
  for (const std::string& word :
       {clang, std::string("-o"), placed("program.amdgcn." + arch + "-0a1b2c.img"), "-mcpu=" + arch})
    bytes += text("=" + word);
  for (const char* digits : {"a00001", "b00002"})
    bytes += text("<" + placed("a-amdgcn-amd-amdhsa-" + arch + "-" + digits + ".o")) +
             text(std::to_string(bitcode.size())) + bitcode;
  return bytes + text("=-O2") + text(".");
}

std::string captured_link() {
  return captured_compiler("gfx906", std::string("one\0two", 7)) + captured_compiler("gfx90a:xnack+", kDirectory) +
         text("/usr/bin/ld") + text("=/usr/bin/ld") + text("=-o") + text("=" + placed("program")) + text(".");
}

Plan planned_link(const std::string& name) {
  compiler::Invocation invocation = invocation_of_a();
  invocation.driver.links = true;
  invocation.object = "app";
  return accepted(recorded(name), invocation);
}

TEST(CapturedLink, IsAskedForWhereTheWrapperStartsCompilers) {
  EXPECT_TRUE(planned_link("clang-23-new-driver-link").question);
  EXPECT_FALSE(planned_link("clang-19-new-driver-link").question);
  EXPECT_FALSE(planned_link("clang-15-new-driver-link").question);
}

TEST(CapturedLink, HasAStepForEachArchBeforeTheWrappers) {
  Plan plan = planned_link("clang-23-new-driver-link");
  const Step before = plan.steps.back();
  ASSERT_TRUE(take_captured(plan, captured_link()));
  EXPECT_EQ(kinds(plan.steps), (std::vector{StepKind::back_end, StepKind::back_end, StepKind::link}));
  const Step& back = plan.steps[0];
  EXPECT_EQ(back.arch.name, "gfx906");
  ASSERT_EQ(back.files.size(), 2U);
  EXPECT_NE(back.files[0].name, back.files[1].name);  // two inputs of one stem
  EXPECT_EQ(back.files[0].bytes, std::string("one\0two", 7));
  EXPECT_TRUE(back.files[0].verbatim);
  EXPECT_THAT(back.commands[0].argv, Contains(placed(back.files[1].name)));
  EXPECT_EQ(plan.steps[1].arch.name, "gfx90a:xnack+");
  EXPECT_EQ(plan.steps[2].keyed, before.keyed);
  EXPECT_THAT(plan.steps[2].inputs, Contains(back.outputs[0].name));
  EXPECT_EQ(plan.steps[2].files.size(), 5U);  // the answers, and what they are compared with
}

TEST(CapturedLink, KeysADeviceByWhatIsInItsFiles) {
  const auto key = [](const std::string& bitcode) {
    Plan plan = planned_link("clang-23-new-driver-link");
    EXPECT_TRUE(take_captured(plan, captured_compiler("gfx906", bitcode)));
    return plan.steps.front().keyed;
  };
  EXPECT_EQ(key("one"), key("one"));
  EXPECT_NE(key("one"), key("two"));
}

TEST(CapturedLink, OfNoCompilerLeavesThePlanAsItIs) {
  Plan plan = planned_link("clang-23-new-driver-link");
  ASSERT_TRUE(take_captured(plan, ""));
  ASSERT_TRUE(take_captured(plan, text("/usr/bin/ld") + text("=/usr/bin/ld") + text(".")));
  EXPECT_EQ(plan.steps.size(), 1U);
}

TEST(CapturedLink, IsRefusedWhereItIsCutOffOrDamaged) {
  const Plan before = planned_link("clang-23-new-driver-link");
  const std::string one = captured_compiler("gfx906", "bitcode");
  const auto is_taken = [&](const std::string& captured) {
    Plan plan = before;
    return take_captured(plan, captured).ok() && plan.steps.size() > before.steps.size();
  };
  ASSERT_TRUE(is_taken(one));
  for (std::size_t length = 0; length < one.size(); ++length) ASSERT_FALSE(is_taken(one.substr(0, length))) << length;
  EXPECT_FALSE(is_taken(one + one));
  EXPECT_FALSE(is_taken(replaced(one, "-mcpu=gfx906", "-mcpu=sm_50")));
  EXPECT_FALSE(is_taken(replaced(one, text("7"), text("99999999999999999999"))));
  EXPECT_FALSE(is_taken(replaced(one, text("7"), text("-7"))));
  EXPECT_FALSE(is_taken(replaced(one, "=-O2", "?-O2")));
  EXPECT_FALSE(is_taken(replaced(one, placed("a-"), placed("../a-"))));
}

class EditedAnswer : public ::testing::TestWithParam<testing::Edit> {};

TEST_P(EditedAnswer, IsRefusedForWhatWasEdited) {
  const std::string printed = answer_of("23-new-driver");
  const Plan plan = planned("23-new-driver");
  ASSERT_EQ(outcome(printed, plan), "taken");
  EXPECT_THAT(outcome(replaced(printed, GetParam().from, GetParam().to), plan), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Table, EditedAnswer,
    ::testing::Values(testing::Edit{" \"/usr/lib/llvm-23/bin/clang\"", " \"clang\"", "no job"},
                      testing::Edit{" \"/usr/lib/llvm-23/bin/clang\"", " \"/usr/bin/rm\"", "no compiler"},
                      testing::Edit{" \"/usr/lib/llvm-23/bin/clang\"", "warning: of something", "no job"},
                      testing::Edit{"package-amdgcn-amd-amdhsa-gfx1030-", "package-amdgcn-amd-amdhsa-gfx1031-",
                                    "none of the devices"},
                      testing::Edit{"package-amdgcn-amd-amdhsa-gfx1030-", "package-amdgcn-amd-amdhsa-gfx906-",
                                    "two jobs"},
                      testing::Edit{"/tmp/probe/package-amdgcn-amd-amdhsa-gfx1030-", "/tmp/other/x-", "without input"},
                      testing::Edit{"-o /tmp/probe/fatbin", "-o /tmp/probe/../fatbin", "without input or output"},
                      testing::Edit{"-o /tmp/probe/fatbin", "-o /tmp/fatbin", "without input or output"},
                      testing::Edit{"--no-default-config", "-o /tmp/probe/x-012345.img", "two outputs"},
                      testing::Edit{"--no-default-config", "/tmp/probe/x-012345.o", "none of the devices"},
                      testing::Edit{"--no-default-config",
                                    "\x01"
                                    "dir\x01",
                                    "reserved"},
                      testing::Edit{"\n", "\n\n", "no job"},
                      testing::Edit{"\n", "\n \"/bin/clang\" x\n", "without input"}));

// Bytes and words are changed, from fixed seeds: nothing crashes, and what is taken writes into the directory.
TEST(WrapperJobsFuzz, WriteIntoTheDirectoryOnly) {
  std::mt19937 random(13);
  const std::string whole = answer_of("23-new-driver");
  const Plan before = planned("23-new-driver");
  for (int round = 0; round < 3000; ++round) {
    std::string printed = whole;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % printed.size();
      if (random() % 2 == 0)
        printed[at] = static_cast<char>(random() % 256);
      else if (random() % 2 == 0)
        printed.erase(at, 1 + random() % 40);
      else
        printed.insert(at, printed.substr(random() % printed.size(), random() % 100));
      if (printed.empty()) break;
    }
    Plan plan = before;
    if (!take_back_ends(plan, printed, kRecordedDirectory)) continue;
    for (const Step& step : of_kind(plan.steps, StepKind::back_end))
      for (const StepOutput& output : step.outputs) ASSERT_EQ(output.name.find('/'), std::string::npos) << printed;
  }
}

}  // namespace
}  // namespace hipcache::hip
