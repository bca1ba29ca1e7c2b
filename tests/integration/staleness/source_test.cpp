// The source itself, and what it includes by other means than #include.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using SourceStaleness = Staleness;

// What no compiler decides.
class SourceStalenessByOneCompiler : public SourceStaleness {};

TEST_P(SourceStaleness, AnEditedSourceRunsEveryStepAndTheFormerOneIsAHit) {
  warm(command());
  const std::string former = support::read_bytes(project_ / "a.hip");
  project_.write("a.hip", former + "__device__ int more = 1;\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
  project_.write("a.hip", former);
  expect_hit(command());
}

TEST_P(SourceStalenessByOneCompiler, ASourceWithEqualSizeAndModificationTimeIsReadAgain) {
  write_kernel(project_, "a.hip", "__device__ int value = 1;\n");
  const std::string former = support::read_bytes(project_ / "a.hip");
  warm(command());
  rewrite_unnoticed("a.hip", former.substr(0, former.size() - 3) + "2;\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
}

TEST_P(SourceStalenessByOneCompiler, ASourceThatIsTouchedRewrittenOrReplacedByItsEqualIsAHit) {
  warm(command());
  fs::last_write_time(project_ / "a.hip", fs::file_time_type::clock::now());
  expect_hit(command());
  const std::string text = support::read_bytes(project_ / "a.hip");
  fs::remove(project_ / "a.hip");
  project_.write("a.hip", text);
  expect_hit(command());
}

TEST_P(SourceStaleness, WhatOnlyTheHostSeesOfTheSourceMakesNoOtherFatbin) {
  warm(command());
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") +
                              "#ifndef __HIP_DEVICE_COMPILE__\nint host_value = 1;\n#endif\n// at the end\n");
  expect_runs({.device = 2, .host = 1}, command());
}

TEST_P(SourceStalenessByOneCompiler, ASourceBehindARetargetedLinkIsFollowed) {
  write_kernel(project_, "one.hip", "__device__ int value = 1;\n");
  write_kernel(project_, "two.hip", "__device__ int value = 2;\n");
  project_.link("a.hip", "one.hip");
  warm(command());
  project_.link("a.hip", "two.hip");
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 0}, command());
}

TEST_P(SourceStaleness, ADeletedSourceFailsAsWithTheCompilerAndRestoredItIsAHit) {
  warm(command());
  fs::rename(project_ / "a.hip", project_ / "away");
  oracle_.check(command());
  EXPECT_EQ(oracle_.exit_code(), 1);
  fs::rename(project_ / "away", project_ / "a.hip");
  expect_hit(command());
}

TEST_P(SourceStaleness, AnEmbeddedFileIsAnInput) {
  write_kernel(project_, "a.hip", "__device__ unsigned char used[] = {\n#embed \"blob\"\n};\n");
  project_.write("blob", "one");
  if (clang15()) {  // does not know #embed
    oracle_.check(command());
    EXPECT_EQ(oracle_.exit_code(), 1);
    return;
  }
  warm(command());
  rewrite_unnoticed("blob", "two");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
}

TEST_P(SourceStaleness, AFileThatAppearsEarlierForEmbedIsFound) {
  write_kernel(project_, "a.hip",
               "#if __has_embed(<early>)\n__device__ int early = 1;\n#endif\n"
               "__device__ unsigned char used[] = {\n#embed <blob>\n};\n");
  project_.write("late/blob", "one");
  const Arguments argv = command("-O1 --embed-dir=early --embed-dir=late");
  if (clang15()) {  // does not know the option
    oracle_.check(argv);
    EXPECT_EQ(oracle_.exit_code(), 1);
    return;
  }
  warm(argv);
  project_.write("early/blob", "two");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, argv);
  project_.write("early/early", "");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, argv);
}

TEST_P(SourceStaleness, AFileThatTheAssemblerIncludesIsAnInputOfThatSideAlone) {
  write_kernel(project_, "a.hip", R"(
#ifdef __HIP_DEVICE_COMPILE__
__global__ void blob() { __asm__(".pushsection .rodata\n .incbin \"device.bin\"\n .popsection"); }
#else
__asm__(".section .rodata\n .incbin \"host.bin\"\n .text");
#endif
)");
  project_.write("sub/device.bin", "one");
  project_.write("sub/host.bin", "one");
  const Arguments argv = command("-O1 -Isub");
  warm(argv);
  rewrite_unnoticed("sub/device.bin", "two");
  expect_runs({.device = 2, .bundle = 1}, argv);
  rewrite_unnoticed("sub/host.bin", "two");
  expect_runs({.host = 1}, argv);
  project_.write("host.bin", "in the working directory, where the assembler looks first");
  expect_runs({.host = 1}, argv);
}

TEST_P(SourceStaleness, AFileOfAssemblerTextIsAnInput) {
  write_kernel(project_, "a.hip", "#ifndef __HIP_DEVICE_COMPILE__\n__asm__(\".include \\\"text.s\\\"\");\n#endif\n");
  project_.write("text.s", ".set value, 1\n.globl value\n");
  warm(command());
  rewrite_unnoticed("text.s", ".set value, 2\n.globl value\n");
  expect_runs({.host = 1}, command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, SourceStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, SourceStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
