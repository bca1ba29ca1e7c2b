// Plans of several sources that one command compiles and links.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "compiler/hip/recorded_plans.h"

namespace hipcache::hip {
namespace {

using testing::accepted;
using testing::Edit;
using testing::kRecordedDirectory;
using testing::recorded;

compiler::Invocation invocation_of_three() {
  compiler::Invocation invocation{
      .source = "a.hip", .other_sources = {"b.hip", "c.cpp"}, .object = "app", .archs = {{"gfx1030"}, {"gfx906"}}};
  invocation.driver.then_links = true;
  return invocation;
}

std::vector<std::string> described(const std::vector<Step>& steps) {
  const std::vector<std::string> kinds = {"device", "bundle", "host", "unbundle", "link"};
  std::vector<std::string> all;
  for (const Step& step : steps)
    all.push_back(kinds[static_cast<std::size_t>(step.kind)] + " " + step.unit + " " + step.arch.name);
  return all;
}

bool has_word(const Step& step, const std::string& word) {
  const std::vector<std::string>& argv = step.commands.front().argv;
  return std::find(argv.begin(), argv.end(), word) != argv.end();
}

TEST(PlanOfSeveralSources, HasTheStepsOfEachInTheDriversOrderAndOneLink) {
  const Plan plan = accepted(recorded("clang-19-sources-linked"), invocation_of_three());
  EXPECT_EQ(described(plan.steps),
            (std::vector<std::string>{"device a.hip gfx1030", "device a.hip gfx906", "bundle a.hip ", "host a.hip ",
                                      "device b.hip gfx1030", "device b.hip gfx906", "bundle b.hip ", "host b.hip ",
                                      "host c.cpp ", "link  "}));
  EXPECT_EQ(plan.steps.back().inputs, (std::vector<std::string>{"host.o", "1-host.o", "2-host.o"}));
}

TEST(PlanOfSeveralSources, DefersTheFatbinsOfThoseThatHaveOne) {
  const Plan plan = accepted(recorded("clang-19-sources-linked"), invocation_of_three());
  ASSERT_TRUE(plan.deferred_fatbin);
  std::vector<std::string> fatbins;
  for (const Step& step : plan.deferred_fatbin->steps)
    if (step.kind == StepKind::host) fatbins.push_back(step.outputs.front().fatbin);
  EXPECT_EQ(fatbins, (std::vector<std::string>{"fatbin.hipfb", "1-fatbin.hipfb", ""}));
}

TEST(PlanOfSeveralSources, GivesEachFileOfTheDirectoryToOneStep) {
  const Plan plan = accepted(recorded("clang-19-sources-linked"), invocation_of_three());
  std::set<std::string> names;
  for (const Step& step : plan.steps) {
    for (const StepOutput& output : step.outputs) EXPECT_TRUE(names.insert(output.name).second) << output.name;
    if (step.split_codegen) {
      EXPECT_TRUE(names.insert(step.split_codegen->bitcode).second) << step.split_codegen->bitcode;
    }
    if (step.preamble && step.preamble->make != nullptr) {
      EXPECT_TRUE(names.insert(step.preamble->header).second) << step.preamble->header;
    }
  }
}

TEST(PlanOfSeveralSources, GivesEachItsId) {
  const SourceIds ids{.given = "0123456789abcdef",
                      .of_source = {{"a.hip", "one"}, {"b.hip", "two"}, {"c.cpp", "three"}}};
  const Result<Plan> plan =
      read_plan(recorded("clang-19-sources-linked"), invocation_of_three(), kRecordedDirectory, {}, ids);
  ASSERT_TRUE(plan);
  for (const Step& step : plan->steps) {
    if (step.kind != StepKind::device && step.kind != StepKind::host) continue;
    EXPECT_FALSE(has_word(step, "-cuid=" + ids.given));
    EXPECT_EQ(has_word(step, "-cuid=" + ids.of_source.at(step.source)), step.source != "c.cpp");
  }
  EXPECT_FALSE(read_plan(recorded("clang-19-sources-linked"), invocation_of_three(), kRecordedDirectory, {},
                         {.given = ids.given, .of_source = {{"a.hip", "one"}}}));
}

class EditedPlanOfSeveralSources : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedPlanOfSeveralSources, IsRefused) {
  testing::expect_refused(recorded("clang-19-sources-linked"), invocation_of_three(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, EditedPlanOfSeveralSources,
    ::testing::Values(Edit{"\"-x\" \"hip\" \"b.hip\"", "\"-x\" \"hip\" \"d.hip\"", "d.hip instead of b.hip"},
                      Edit{"\"-x\" \"c++\" \"c.cpp\"", "\"-x\" \"c++\" \"d.cpp\"", "d.cpp instead of c.cpp"},
                      Edit{"\"-x\" \"c++\" \"c.cpp\"", "\"-x\" \"c++\" \"b.hip\"", "compile after the host's"},
                      Edit{"\"-dynamic-linker\"", "\"--such\"", "links with --such"},
                      Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-fgpu-rdc\"", "relocatable code of several"},
                      Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-dependency-file\" \"a.d\"", "depfile a.d unasked"}));

TEST(PlanOfSeveralSources, IsRefusedIfItLinksTheirObjectsInAnotherOrderOrNotAll) {
  const std::string printed = recorded("clang-19-sources-linked");
  const std::size_t first = printed.find("\"/tmp/probe/a-", printed.rfind("\"-o\" \"app\""));
  const std::size_t second = printed.find(' ', first) + 1;
  const std::size_t end = printed.find(' ', second) + 1;
  const std::string one = printed.substr(first, second - first), two = printed.substr(second, end - second);
  const std::string rest = printed.substr(end);
  EXPECT_EQ(testing::refusal(printed.substr(0, first) + two + one + rest, invocation_of_three()),
            "the compiler's plan does not link the objects in their order");
  EXPECT_EQ(testing::refusal(printed.substr(0, first) + two + rest, invocation_of_three()),
            "the compiler's plan links something else than the host's objects");
}

TEST(PlanOfSeveralSources, IsRefusedForAnotherListOfSources) {
  compiler::Invocation fewer = invocation_of_three();
  fewer.other_sources.pop_back();
  EXPECT_EQ(testing::refusal(recorded("clang-19-sources-linked"), fewer),
            "the compiler's plan compiles more or fewer sources than were given");
}

}  // namespace
}  // namespace hipcache::hip
