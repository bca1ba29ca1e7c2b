// Questions about sources, of the steps of a split compile.
#include <gtest/gtest.h>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

class HipTokenStaleness : public Staleness {
 protected:
  HipTokenStaleness() {
    write_kernel(project_, "a.hip", "#include \"value.h\"\n");
    project_.write("value.h", "__device__ int value = 1;\n");
  }
};

// What no compiler decides.
class HipTokenStalenessByOneCompiler : public HipTokenStaleness {};

TEST_P(HipTokenStaleness, CommentsAndBlanksRunNoStep) {
  warm(command());
  project_.write("value.h", "// documented\n\n__device__  int value=1; // here\n");
  expect_hit(command());
  write_kernel(project_, "a.hip", "/* licence */\n#include \"value.h\"\n");
  expect_hit(command());
  project_.write("value.h", "__device__ int value = 2;\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
}

// That header has thousands of words, some of which look as if they led somewhere.
TEST_P(HipTokenStalenessByOneCompiler, CommentsAndCommitIdsBesideTheRuntimesHeaderRunNoStep) {
  project_.write("a.hip",
                 "#include <hip/hip_runtime.h>\n#include \"value.h\"\n"
                 "__global__ void kernel(int* x) { atomicAdd(x, value); }\n"
                 "void run(int* x) { kernel<<<1, 1>>>(x); }\n");
  const auto of = [&](const std::string& id) {
    Arguments words = command("-O1 -D__HIP_PLATFORM_AMD__ -DCOMMIT=" + id);
    std::erase(words, "-nogpuinc");
    return words;
  };
  warm(of("1"));
  project_.write("value.h", "// documented\n\n__device__  int value=1; // here\n");
  expect_hit(of("1"));
  expect_hit(of("2"));
  project_.write("value.h", "__device__ int value = 2;\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, of("2"));
}

TEST_P(HipTokenStaleness, CommentsRunNoStepOfRelocatableCode) {
  for (const std::string flags : {"-O1 -fgpu-rdc", "-O1 -fgpu-rdc --offload-new-driver"}) {
    project_.write("value.h", "__device__ int value = 1;\n");
    warm(command(flags));
    project_.write("value.h", "// documented\n__device__ int value  = 1;\n");
    expect_hit(command(flags));
    project_.write("value.h", "__device__ int value = 1; __device__ void f() { asm volatile(\"s_nop 0\"); }\n");
    EXPECT_EQ(check(command(flags)).hits, 0);
    project_.write("value.h", "\n__device__ int value = 1; __device__ void f() { asm volatile(\"s_nop 0\"); }\n");
    EXPECT_EQ(check(command(flags)).hits, 0) << "the bitcode says where the statement is";
  }
}

// The headers of the runtime link a library whose inline assembly says where it stands in the library's source.
TEST_P(HipTokenStaleness, CommentsRunNoStepOfRelocatableCodeBesideTheRuntimesHeader) {
  Arguments argv = command("-O1 -D__HIP_PLATFORM_AMD__ -fgpu-rdc");
  std::erase(argv, "-nogpuinc");
  const auto write = [&](const std::string& code) {
    project_.write("a.hip", "#include <hip/hip_runtime.h>\n#include \"value.h\"\n" + code +
                                "__global__ void kernel(int* x) { *x = value; }\n"
                                "void run(int* x) { kernel<<<1, 1>>>(x); }\n");
  };
  write("");
  warm(argv);
  project_.write("value.h", "// documented\n\n__device__  int value=1; // here\n");
  expect_hit(argv);
  for (const std::string text : {"\"; ockl readfirstlane hoisting hack %0\"", "\"; ockl \" HACK"}) {
    write("#define HACK \"readfirstlane hoisting hack %0\"\n__device__ int first(int x) { int y; asm volatile(" + text +
          " : \"=v\"(y) : \"0\"(x)); return y; }\n");
    project_.write("value.h", "__device__ int value = 1;\n");
    EXPECT_EQ(check(argv).hits, 0) << text;
    project_.write("value.h", "\n__device__ int value = 1;\n");
    EXPECT_EQ(check(argv).hits, 0) << "the bitcode says where the source's statement is: " << text;
  }
}

TEST_P(HipTokenStaleness, LinesAboveAnAnnotationOfRelocatableCodeCount) {
  const std::string code = "__device__ int g(int);\n__device__ int f() { return __builtin_annotation(g(3), \"x\"); }\n";
  project_.write("value.h", code + "__device__ int value = 1;\n");
  EXPECT_EQ(check(command("-O0 -fgpu-rdc")).hits, 0);
  project_.write("value.h", "\n" + code + "__device__ int value = 1;\n");
  EXPECT_EQ(check(command("-O0 -fgpu-rdc")).hits, 0);
}

TEST_P(HipTokenStaleness, CommentsRunNoCompileOfAllArchitectures) {
  for (const std::string flags : {"-O1 -mllvm -filter-print-funcs=none", "-O1 -MD -mllvm -filter-print-funcs=none"}) {
    project_.write("value.h", "__device__ int value = 1;\n");
    EXPECT_EQ(check(command(flags)).run.at("host"), 1) << flags;
    project_.write("value.h", "// documented\n__device__ int value  = 1;\n");
    expect_hit(command(flags));
  }
}

// As projects have it whose headers include each other by "../part/header.h".
TEST_P(HipTokenStalenessByOneCompiler, CommentsInFilesOfTwoNamesRunNoStep) {
  const auto write_headers = [&](const std::string& comment) {
    std::string includes;
    for (const std::string name : {"a", "b", "c", "d", "e", "f"}) {
      project_.write("part/" + name + ".h", "#pragma once\n__device__ int " + name + ";" + comment + name + "\n");
      includes += "#include \"part/" + name + ".h\"\n#include \"part/../part/" + name + ".h\"\n";
    }
    return includes;
  };
  write_kernel(project_, "a.hip", "#include \"value.h\"\n" + write_headers(" // one "));
  warm(command());
  for (const char* comment : {" // two ", " // three ", " /* four */ // "}) {
    write_headers(comment);
    expect_hit(command());
  }
}

TEST_P(HipTokenStaleness, PositionsRunTheStepsOfWhoeverReadsThem) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n#if !__HIP_DEVICE_COMPILE__\n#include \"host.h\"\n#endif\n");
  project_.write("host.h", "int line() { return __LINE__; } // one\n");
  warm(command());
  project_.write("host.h", "int line() { return __LINE__; } // two\n");
  expect_hit(command());
  project_.write("host.h", "\nint line() { return __LINE__; }\n");
  expect_runs({.host = 1}, command());
}

TEST_P(HipTokenStaleness, ChecksThatTheCommandLeavesOutRunNoStep) {
  const std::string check = "#ifndef NDEBUG\n#define CHECK(x) (x + __LINE__)\n#else\n#define CHECK(x) x\n#endif\n";
  project_.write("value.h", check + "__device__ int value = CHECK(1);\n");
  const Arguments release = command("-O1 -DNDEBUG"), debug = command("-O1");
  warm(release);
  warm(debug);
  project_.write("value.h", check + "// documented\n__device__ int value =\n    CHECK(1);\n");
  expect_hit(release);
  expect_runs({.device = 2, .bundle = 1, .host = 1}, debug);
  project_.write("value.h", "#undef NDEBUG\n" + check + "__device__ int value = CHECK(1);\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, release);
}

TEST_P(HipTokenStaleness, ACommitIdRunsOnlyWhatUsesIt) {
  const auto of = [&](const std::string& id) { return command("-O1 -DCOMMIT=" + id); };
  warm(of("1"));
  expect_hit(of("2"));
  project_.write("value.h", "__device__ int value = 1;\n#if !__HIP_DEVICE_COMPILE__\nint id = COMMIT;\n#endif\n");
  warm(of("1"));
  EXPECT_EQ(check(of("2")).hits, 0);
  expect_hit(of("1"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, HipTokenStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, HipTokenStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
