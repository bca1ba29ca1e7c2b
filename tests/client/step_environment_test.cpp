// What the commands of a step find in their environment.
#include "client/steps/step_process.h"

#include <gmock/gmock.h>

namespace hipcache::client {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

constexpr const char* kHugePages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";

protocol::RunStep traced_step() {
  protocol::RunStep step;
  step.directory = "/cache/tmp/r1";
  step.trace_path = "/cache/tmp/r1/trace";
  step.trace_library = "/lib/trace.so";
  return step;
}

TEST(StepEnvironment, NamesTemporaryDirectoryTraceAndLibrary) {
  EXPECT_THAT(
      step_environment({"A=b", "TMPDIR=/tmp", "HIPCACHE_TRACE=/x"}, traced_step(), "/usr/bin/gcc"),
      ElementsAre("A=b", "TMPDIR=/cache/tmp/r1", "LD_PRELOAD=/lib/trace.so", "HIPCACHE_TRACE=/cache/tmp/r1/trace"));
}

TEST(StepEnvironment, KeepsWhatIsPreloadedBehindTheTraceLibrary) {
  EXPECT_THAT(step_environment({"LD_PRELOAD=/lib/fakeroot.so"}, traced_step(), "/usr/bin/gcc"),
              Contains("LD_PRELOAD=/lib/trace.so:/lib/fakeroot.so"));
}

TEST(StepEnvironment, GivesClangItsMemoryInHugePages) {
  for (const char* program : {"clang", "/usr/bin/clang++", "/usr/bin/clang++-19", "/usr/lib/llvm-19/bin/clang-19",
                              "/opt/rocm/llvm/bin/amdclang++", "/opt/rocm/llvm/bin/clang-18.1"})
    EXPECT_THAT(step_environment({}, traced_step(), program), Contains(kHugePages)) << program;
}

TEST(StepEnvironment, GivesOtherProgramsWhatTheyHave) {
  for (const char* program : {"/usr/bin/gcc", "/usr/lib/llvm-19/bin/lld", "/usr/bin/clang-offload-bundler-19",
                              "/opt/clang/bin/gcc", "/usr/bin/my-clang", "/usr/bin/clang-tidy", "/bin/sh", ""})
    EXPECT_THAT(step_environment({}, traced_step(), program), Not(Contains(StartsWith("GLIBC_TUNABLES=")))) << program;
}

TEST(StepEnvironment, LeavesTheUsersOwnTunablesAlone) {
  for (const char* mine : {"GLIBC_TUNABLES=", "GLIBC_TUNABLES=glibc.malloc.check=1"}) {
    EXPECT_THAT(step_environment({mine}, traced_step(), "clang"), Contains(mine));
    EXPECT_THAT(step_environment({mine}, traced_step(), "clang"), Not(Contains(kHugePages)));
  }
}

}  // namespace
}  // namespace hipcache::client
