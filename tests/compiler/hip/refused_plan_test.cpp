// Plans of another shape, and plans that write more or elsewhere: none is accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/hip/recorded_plans.h"

namespace hipcache::hip {
namespace {

using testing::Edit;
using ::testing::HasSubstr;
using testing::invocation_of_a;
using ::testing::Ne;
using testing::recorded;
using testing::refusal;
using testing::replaced;

class OtherShape : public ::testing::TestWithParam<const char*> {};

TEST_P(OtherShape, IsRefused) { EXPECT_NE(refusal(recorded(GetParam()), invocation_of_a()), "accepted"); }

INSTANTIATE_TEST_SUITE_P(Recorded, OtherShape,
                         ::testing::Values("clang-19-save-temps", "clang-19-new-driver", "clang-19-time-trace",
                                           "clang-19-no-such-option", "clang-19-two-sources"));

class EditedPlan : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedPlan, IsRefusedForWhatWasEdited) {
  testing::expect_refused(recorded("clang-19-g-depfile"), invocation_of_a(true), GetParam());
}

TEST(Plan, MayNameAProfileForTheDeviceLink) {
  const std::string printed = recorded("clang-19-g-depfile");
  EXPECT_EQ(refusal(replaced(printed, "\"-plugin-opt=O2\"", "\"-plugin-opt=cs-profile-path=a/b.profdata\""),
                    invocation_of_a(true)),
            "accepted");
}

INSTANTIATE_TEST_SUITE_P(
    Table, EditedPlan,
    ::testing::Values(
        Edit{"\"-x\" \"hip\" \"a.hip\"", "\"-x\" \"hip\" \"b.hip\"", "b.hip instead of a.hip"},
        Edit{"\"-main-file-name\" \"a.hip\"", "\"-main-file-name\" \"b.hip\"", "main file b.hip"},
        Edit{"\"-o\" \"a.o\"", "\"-o\" \"b.o\"", "writes b.o instead of a.o"},
        Edit{"\"-o\" \"a.o\"", "\"-o\" \"a.o\" \"-o\" \"b.o\"", "two outputs"},
        Edit{"\"-o\" \"a.o\"", "\"-oa.o\"", "joined"},
        Edit{"\"-dependency-file\" \"a.d\"", "\"-dependency-file\" \"b.d\"", "depfile b.d unasked"},
        Edit{"\"-dependency-file\" \"a.d\"", "\"-dependency-file\" \"\"", "empty name"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-S\"", "-S"}, Edit{"\"-emit-obj\" ", "", "one output"},
        Edit{"\"-emit-obj\"", "\"-emit-pch\"", "-emit-pch"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-load\" \"x.so\"", "-load"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-split-dwarf-output\" \"a.d\"", "as two things"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-serialize-diagnostic-file\" \"x\"", "-serialize-diagnostic-file"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-include-pch\" \"x\"", "-include-pch"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-mllvm\" \"-stats\"", "-stats"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-such-an-output\"", "-such-an-output"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-I\" \"/tmp/probe/x\"", "names a temporary file"},
        Edit{"\"-emit-obj\"",
             "\"-emit-obj\" \"-D\" \"\x01"
             "dir"
             "\x01\"",
             "reserved"},
        Edit{"\"-target-cpu\" \"gfx1030\"", "\"-target-cpu\" \"gfx900\"", "compiles gfx900 in place of gfx1030"},
        Edit{"\"-fcuda-is-device\"", "\"-fcuda-allow-variadic-functions\"", "unknown place"},
        Edit{"\"-fcuda-is-device\"", "\"-fcuda-is-device\" \"-fcuda-include-gpubinary\" \"x\"", "compiles the host"},
        Edit{"\"--no-undefined\"", "\"-Map=x\"", "-Map=x"},
        Edit{"\"--lto-CGO2\"", "\"--lto-CGO2\" \"/usr/lib/x.o\"", "device link"},
        Edit{"\"-plugin-opt=O2\"", "\"-plugin-opt=obj-path=x\"", "obj-path"},
        Edit{"\"-plugin-opt=O2\"", "\"-plugin-opt=-print-after-all\"", "print-after-all"},
        Edit{"\"/usr/lib/llvm-19/bin/lld\"", "\"lld\"", "has not found"},
        Edit{"hipv4-amdgcn-amd-amdhsa--gfx906", "hipv4-amdgcn-amd-amdhsa--gfx1030", "twice"},
        Edit{"hipv4-amdgcn-amd-amdhsa--gfx906", "hipv4-spirv64-amd-amdhsa--gfx906", "hipv4-spirv64"},
        Edit{"hipv4-amdgcn-amd-amdhsa--gfx906", "hipv4-amdgcn-amd-amdhsa--gfx/906", "gfx/906"},
        Edit{",hipv4-amdgcn-amd-amdhsa--gfx906", "", "more or less"},
        Edit{"\"-input=/dev/null\"", "\"-input=/dev/zero\"", "another place"},
        Edit{"\"-type=o\"", "\"-type=o\" \"-unbundle\"", "-unbundle"}, Edit{"\"-type=o\"", "\"-type=gch\"", "gch"},
        Edit{"\"-fcuda-include-gpubinary\" \"/tmp/probe/", "\"-fcuda-include-gpubinary\" \"/tmp/probe/x", "fatbin"},
        Edit{"Target: ", "clang++: error: no such file\nTarget: ", "error: no such file"},
        Edit{"\"-cuid=0123456789abcdef\"", "\"-cuid=1\"", "id of the translation unit"},
        Edit{"\"-cuid=0123456789abcdef\" ", "", "id of the translation unit"},
        Edit{"\"-cuid=0123456789abcdef\"", "\"-cuid=0123456789abcdef\" \"-cuid=1\"", "two ids"},
        Edit{"\"-emit-obj\"", "\"-emit-obj\" \"-fembed-offload-object=x\"", "compiles the host"},
        Edit{"Target: ", " (in-process)\nTarget: ", "as its own"},
        Edit{"Target: ", "something new\nTarget: ", "something new"}));

TEST(RefusedPlan, IsOneOfAnotherTemporaryDirectory) {
  const std::string printed = recorded("clang-19-O2");
  EXPECT_FALSE(read_plan(printed, invocation_of_a(), "/tmp/other"));
  EXPECT_FALSE(read_plan(printed, invocation_of_a(), "/tmp/prob"));
  EXPECT_FALSE(read_plan(printed, invocation_of_a(), "tmp/probe"));
  EXPECT_FALSE(read_plan(printed, invocation_of_a(), ""));
  EXPECT_TRUE(read_plan(printed, invocation_of_a(), "/tmp/probe/"));
}

TEST(RefusedPlan, IsNoneForALackingCuidWhereTheUserChoseHowItIsMade) {
  compiler::Invocation invocation = invocation_of_a();
  std::string printed = recorded("clang-19-one-arch");
  for (int i = 0; i < 2; ++i) printed = replaced(printed, "\"-cuid=0123456789abcdef\" ", "");
  EXPECT_THAT(refusal(printed, invocation), HasSubstr("id of the translation unit"));
  invocation.driver.user_cuid = true;
  EXPECT_EQ(refusal(printed, invocation), "accepted");
}

TEST(RefusedPlan, IsOneOfRelocatableCodeWithoutAnId) {
  compiler::Invocation invocation = invocation_of_a();
  invocation.driver.user_cuid = true;
  std::string printed = recorded("clang-19-rdc");
  EXPECT_EQ(refusal(printed, invocation), "accepted");
  for (int i = 0; i < 3; ++i) printed = replaced(printed, "\"-cuid=0123456789abcdef\" ", "");
  EXPECT_THAT(refusal(printed, invocation), HasSubstr("inode"));
}

TEST(RefusedPlan, IsOneThatSplitsDebugInformationWhileItLinks) {
  const std::string printed = recorded("clang-19-split-dwarf");
  EXPECT_EQ(refusal(printed, invocation_of_a()), "accepted");
  EXPECT_THAT(refusal(replaced(printed, "\"-emit-obj\"", "\"-emit-llvm-bc\""), invocation_of_a()),
              HasSubstr("at link time"));
}

TEST(RefusedPlan, IsOneThatWritesNoDepfileWhereOneIsAsked) {
  EXPECT_THAT(refusal(recorded("clang-19-O2"), invocation_of_a(true)), HasSubstr("depfile"));
  EXPECT_THAT(refusal(recorded("clang-19-g-depfile"), invocation_of_a(false)), HasSubstr("unasked"));
}

TEST(RefusedPlan, IsOneThatLeavesTheTemporaryDirectoryByTheParent) {
  std::string printed = recorded("clang-19-one-arch");
  const auto from = printed.find("/tmp/probe/a-gfx906");
  ASSERT_NE(from, std::string::npos);
  const std::string object = printed.substr(from, printed.find('"', from) - from);
  for (auto at = printed.find(object); at != std::string::npos; at = printed.find(object, at + 1)) {
    printed.replace(at, object.size(), "/tmp/probe/../a.o");
  }
  EXPECT_THAT(refusal(printed, invocation_of_a()), HasSubstr("/tmp/probe/../a.o"));
}

TEST(RefusedPlan, IsOneOfADriverThatSaysThatItHasNoUseForTheId) {
  const std::string warning = "clang: warning: argument unused during compilation: '-cuid=0123456789abcdef' [-Wx]\n";
  compiler::Invocation invocation = invocation_of_a();
  EXPECT_THAT(refusal(warning + recorded("clang-19-O2"), invocation), HasSubstr("no use for the id"));
  invocation.driver.user_cuid = true;
  EXPECT_EQ(refusal(warning + recorded("clang-19-O2"), invocation), "accepted");
}

// An edit of the new driver's plan of relocatable code.
class EditedPackage : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedPackage, IsRefusedForWhatWasEdited) {
  testing::expect_refused(recorded("clang-19-new-driver-rdc"), invocation_of_a(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, EditedPackage,
    ::testing::Values(Edit{"triple=amdgcn-amd-amdhsa,arch=gfx906", "triple=nvptx64,arch=gfx906", "triple=nvptx64"},
                      Edit{"arch=gfx906,kind=hip", "arch=gfx906,kind=cuda", "kind=cuda"},
                      Edit{"arch=gfx906,kind=hip", "arch=gfx906,kind=hip,other=x", "other=x"},
                      Edit{"arch=gfx906,kind=hip", "arch=gfx906,kind=hip,feature=x,file=y", "file=y"},
                      Edit{"arch=gfx906,kind=hip", "arch=sm_50,kind=hip", "sm_50"},
                      Edit{"arch=gfx906,kind=hip", "arch=gfx1030,kind=hip", "twice"},
                      Edit{"--image=file=", "--image=file=x,file=", "x,file="},
                      Edit{"-fembed-offload-object=/tmp/probe/", "-fembed-offload-object=/tmp/probe/x", "fatbin"}));

// An edit of the new driver's plan of code that is not relocatable, by a clang that wraps it.
class EditedWrap : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedWrap, IsRefusedForWhatWasEdited) {
  testing::expect_refused(recorded("clang-22-new-driver"), invocation_of_a(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, EditedWrap,
    ::testing::Values(
        Edit{"amdgcn-amd-amdhsa=-O2", "amdgcn-amd-amdhsa=-save-temps", "-save-temps"},
        Edit{"--device-compiler=amdgcn-amd-amdhsa=-O2", "--device-linker=amdgcn-amd-amdhsa=-stats", "-stats"},
        Edit{"--device-compiler=amdgcn-amd-amdhsa=-O2", "--device-compiler=nvptx64=-O2", "nvptx64"},
        Edit{"--should-extract=gfx906", "--should-extract=x", "--should-extract=x"},
        Edit{"\"--emit-fatbin-only\"", "\"--emit-fatbin-only\" \"--verbose\"", "--verbose"},
        Edit{"\"--emit-fatbin-only\" \"-o\"", "\"--emit-fatbin-only\" \"/x\" \"-o\"", "argument /tmp/probe"},
        Edit{"\"--emit-fatbin-only\"", "\"--print-wrapped-module\"", "unknown place"},
        Edit{"-fcuda-include-gpubinary\" \"/tmp/probe/", "-fcuda-include-gpubinary\" \"/tmp/probe/x", "fatbin"}));

// Made-up options of a clang to come.
TEST(PlanOfALaterClang, IsAcceptedWithUnknownOptionsThatAreWordsOfTheKey) {
  const auto keyed = [](const std::string& more) {
    const std::string printed = replaced(recorded("clang-22-new-driver"), "\"-cc1\"", "\"-cc1\"" + more);
    return testing::accepted(printed, invocation_of_a()).steps.front().keyed.front();
  };
  const std::vector<std::string> plain = keyed(""), with = keyed(" \"-fsuch-thing=2\" \"-such\" \"value\"");
  EXPECT_EQ(with.size(), plain.size() + 3);
  EXPECT_THAT(with, ::testing::IsSupersetOf({"-fsuch-thing=2", "-such", "value"}));
}

TEST(PlanOfALaterClang, IsAcceptedWithOptionsForTheCompilersThatTheWrapperRuns) {
  const std::string printed = recorded("clang-22-new-driver"), option = "--device-compiler=amdgcn-amd-amdhsa=-O2";
  for (const char* more : {"--device-compiler=amdgcn-amd-amdhsa=-fno-lto", "--device-compiler=--cuda-path=/x",
                           "--device-compiler=amdgcn-amd-amdhsa=-fsuch-thing", "--cuda-path=/x",
                           "--compression-level=3", "--device-linker=amdgcn-amd-amdhsa=-plugin-opt=-force-import-all"})
    testing::accepted(replaced(printed, option, option + "\" \"" + more), invocation_of_a());
}

TEST(PlanOfALaterClang, IsAcceptedWithEitherSpellingOfTheBundlersLevel) {
  const std::string printed = recorded("clang-19-compress");
  for (const char* level : {"-compression-level=3", "--compression-level=3"})
    testing::accepted(replaced(printed, "\"-compress\"", std::string("\"-compress\" \"") + level + "\""),
                      invocation_of_a());
}

TEST(PlanOfALaterClang, HasTheNumberOfJobsInNoKey) {
  const std::string printed = recorded("clang-22-new-driver"), option = "--device-compiler=amdgcn-amd-amdhsa=-O2";
  const auto keyed = [](const std::string& text) {
    std::vector<std::vector<std::string>> all;
    for (const Step& step : testing::accepted(text, invocation_of_a()).steps)
      all.insert(all.end(), step.keyed.begin(), step.keyed.end());
    return all;
  };
  EXPECT_EQ(keyed(replaced(printed, option, option + "\" \"--wrapper-jobs=4")), keyed(printed));
}

TEST(RefusedPlan, IsOneOfTheHostAloneWhoseCodeIsRelocatableAndHasNoId) {
  const std::string printed = recorded("clang-19-host-only");
  EXPECT_THAT(refusal(replaced(printed, "\"-emit-obj\"", "\"-emit-obj\" \"-fgpu-rdc\""), invocation_of_a()),
              HasSubstr("inode"));
}

TEST(RefusedPlan, IsOneThatIsCutOffAnywhere) {
  testing::expect_refused_in_part(recorded("clang-19-one-arch"), invocation_of_a());
}

TEST(RefusedPlan, IsOneWhoseJobsAreSwapped) {
  const std::string printed = recorded("clang-19-O2");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < printed.size();) {
    const auto end = printed.find('\n', at) + 1;
    lines.push_back(printed.substr(at, end - at));
    at = end;
  }
  ASSERT_EQ(lines.size(), 10u);
  for (std::size_t i = 4; i + 1 < lines.size(); ++i) {
    std::swap(lines[i], lines[i + 1]);
    std::string swapped;
    for (const std::string& line : lines) swapped += line;
    EXPECT_THAT(refusal(swapped, invocation_of_a()), Ne("accepted")) << i;
    std::swap(lines[i], lines[i + 1]);
  }
}

}  // namespace
}  // namespace hipcache::hip
