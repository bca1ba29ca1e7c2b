// Recorded plans of the new offload driver: which compilers' can be taken apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/hip/recorded_plans.h"

namespace hipcache::hip {
namespace {

using testing::accepted;
using ::testing::HasSubstr;
using testing::invocation_of_a;
using testing::recorded;
using testing::refusal;
using testing::replaced;

std::vector<std::string> archs_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const Step& step : plan.steps)
    if (step.kind == StepKind::device) names.push_back(step.arch.name);
  return names;
}

std::string of(const std::string& compiler, const std::string& title) {
  return recorded(compiler + "-new-driver" + title);
}

// Clangs that wrap the devices' bitcode before the host's compile.
class NewDriver : public ::testing::TestWithParam<const char*> {};

TEST_P(NewDriver, HasADeviceForEachArchInEveryShape) {
  for (const char* title : {"", "-compress", "-offload-lto", "-rdc"})
    EXPECT_THAT(archs_of(accepted(of(GetParam(), title), invocation_of_a())),
                ::testing::UnorderedElementsAre("gfx1030", "gfx906"))
        << title;
  EXPECT_THAT(archs_of(accepted(of(GetParam(), "-g-depfile"), invocation_of_a(true))),
              ::testing::UnorderedElementsAre("gfx1030", "gfx906"));
  EXPECT_THAT(archs_of(accepted(of(GetParam(), "-three-archs"), invocation_of_a())),
              ::testing::UnorderedElementsAre("gfx1030", "gfx906", "gfx90a:sramecc+:xnack-"));
}

// The packager notes what an image is by the end of its name.
TEST_P(NewDriver, PackagesTextUnderNamesThatEndAsTheDriversDo) {
  const std::string printed = of(GetParam(), "-rdc-assembly");
  const std::string ending = printed.find(".s,triple=") != std::string::npos ? ".s" : ".bc";
  EXPECT_THAT(printed, HasSubstr(ending + ",triple="));
  const Plan plan = accepted(printed, invocation_of_a());
  ASSERT_THAT(archs_of(plan), ::testing::SizeIs(2));
  EXPECT_THAT(plan.steps[0].outputs.front().name, ::testing::EndsWith(ending));
  EXPECT_THAT(plan.steps[1].outputs.front().name, ::testing::EndsWith(ending));
}

TEST_P(NewDriver, IsRefusedForAnOptionOfTheDevicesCompilersThatNobodyKnows) {
  EXPECT_THAT(refusal(replaced(of(GetParam(), ""), "amdhsa=-O2", "amdhsa=-save-temps"), invocation_of_a()),
              HasSubstr("-save-temps"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, NewDriver, ::testing::Values("clang-22", "clang-23"));

// Those wrap within the host's object, after its compile. Relocatable code is not wrapped, and taken apart.
class NewDriverThatWrapsLast : public ::testing::TestWithParam<const char*> {};

TEST_P(NewDriverThatWrapsLast, IsRefused) {
  for (const char* title : {"", "-compress", "-offload-lto", "-three-archs"})
    EXPECT_NE(refusal(of(GetParam(), title), invocation_of_a()), "accepted") << title;
  EXPECT_NE(refusal(of(GetParam(), "-g-depfile"), invocation_of_a(true)), "accepted");
}

TEST_P(NewDriverThatWrapsLast, IsTakenApartInRelocatableDeviceCode) {
  EXPECT_THAT(archs_of(accepted(of(GetParam(), "-rdc"), invocation_of_a())),
              ::testing::UnorderedElementsAre("gfx1030", "gfx906"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, NewDriverThatWrapsLast, ::testing::Values("clang-21", "hipcc-7"));

}  // namespace
}  // namespace hipcache::hip
