// Real HIP compiles under trace, with each clang that the project supports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "trace/traced.h"

namespace hipcache::trace {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kDeviceLibraries = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

struct Compiler {
  int version;
  std::string directory() const { return "/usr/lib/llvm-" + std::to_string(version) + "/bin"; }
};

std::string name_of(const testing::TestParamInfo<Compiler>& info) {
  return "Clang" + std::to_string(info.param.version);
}

class CompilerTrace : public testing::TestWithParam<Compiler> {
 protected:
  Traced traced;

  void SetUp() override {
    traced.scratch.write("later/part.h", "inline __device__ float part() { return 1.0f; }\n");
    traced.scratch.make_directory("earlier");
    traced.scratch.write("a.hip",
                         "#include <hip/hip_runtime.h>\n#include <part.h>\n"
                         "__global__ void k(float* x) { x[threadIdx.x] = sinf(x[threadIdx.x]) + part(); }\n");
  }

  std::vector<std::string> clang(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"clang++-" + std::to_string(GetParam().version), "-B" + GetParam().directory()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
  }

  std::vector<std::string> hip(const std::vector<std::string>& more) const {
    std::vector<std::string> argv = clang({"-x", "hip", "--offload-arch=gfx906", "--rocm-path=/usr",
                                           std::string("--rocm-device-lib-path=") + kDeviceLibraries, "-Iearlier",
                                           "-Ilater", "-O2", "-cuid=0123456789abcdef", "-c", "a.hip"});
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }

  std::size_t clock_records_of(const std::string& source, const std::vector<std::string>& options = {}) {
    traced.scratch.write("clock.cpp", source);
    std::vector<std::string> argv = clang(options);
    argv.insert(argv.end(), {"-c", "clock.cpp", "-o", "clock.o"});
    EXPECT_EQ(traced.run(argv).exit_code, 0) << traced.output;
    return traced.texts(Kind::clock).size();
  }
};

TEST_P(CompilerTrace, HoldsTheInputsOfAHipCompileInOneProcessTree) {
  ASSERT_EQ(traced.run(hip({"-o", "a.o"})).exit_code, 0) << traced.output;
  EXPECT_TRUE(traced.has(Kind::open_read, true, std::string(kDeviceLibraries) + "/ocml.bc"));
  EXPECT_TRUE(traced.has_any(Kind::open_read, true, "/hip/hip_runtime.h"));
  EXPECT_TRUE(traced.has(Kind::open_read, true, "later/part.h")) << traced.dump();
  EXPECT_TRUE(traced.has(Kind::open_read, false, "earlier/part.h"));
  EXPECT_THAT(traced.texts(Kind::library), Contains(HasSubstr("/libLLVM")));
  EXPECT_THAT(traced.texts(Kind::library), Contains(HasSubstr("/libclang-cpp")));
  EXPECT_TRUE(traced.has(Kind::variable, false, "C_INCLUDE_PATH"));
  EXPECT_TRUE(traced.has_any(Kind::open_write, true, "a.o"));
}

TEST_P(CompilerTrace, IsCompleteForEachProgramOfTheCompile) {
  ASSERT_EQ(traced.run(hip({"-o", "a.o"})).exit_code, 0) << traced.output;
  EXPECT_THAT(traced.trace.programs, Contains(GetParam().directory() + "/clang").Times(3));
  EXPECT_THAT(traced.trace.programs, Contains(GetParam().directory() + "/lld"));
  EXPECT_THAT(traced.trace.programs, Contains(GetParam().directory() + "/clang-offload-bundler"));
  EXPECT_EQ(traced.trace.ends, traced.trace.programs.size());
}

TEST_P(CompilerTrace, HoldsNothingThatWouldKeepAnOrdinaryCompileFromTheCache) {
  for (const char* level : {"-O0", "-O2", "-g"}) {
    ASSERT_EQ(traced.run(hip({"-o", "a.o", level})).exit_code, 0) << traced.output;
    for (const Kind kind : {Kind::clock, Kind::network, Kind::unknown}) {
      EXPECT_THAT(traced.texts(kind), IsEmpty()) << level << "\n" << traced.dump();
    }
  }
}

TEST_P(CompilerTrace, ChangesNoByteOfTheObject) {
  ASSERT_EQ(traced.run(hip({"-g", "-o", "a.o"})).exit_code, 0) << traced.output;
  const std::string with = support::read_bytes(traced.scratch / "a.o");
  ASSERT_EQ(traced.run_untraced(hip({"-g", "-o", "a.o"})).exit_code, 0) << traced.output;
  EXPECT_TRUE(with == support::read_bytes(traced.scratch / "a.o")) << "the objects differ";
  EXPECT_THAT(traced.output, IsEmpty());
}

TEST_P(CompilerTrace, OfTheDriversPlanHoldsItsSearches) {
  ASSERT_EQ(traced.run(hip({"-o", "a.o", "-###"})).exit_code, 0) << traced.output;
  EXPECT_THAT(traced.output, HasSubstr("\"-cc1\""));
  EXPECT_TRUE(traced.has_any(Kind::list, true, "/lib/gcc/x86_64-linux-gnu")) << traced.dump();
  EXPECT_TRUE(traced.has(Kind::variable, false, "CCC_OVERRIDE_OPTIONS"));
  EXPECT_EQ(traced.trace.programs.size(), 1U);
  EXPECT_EQ(traced.trace.ends, 1U);
}

TEST_P(CompilerTrace, HoldsTheClockIfAndOnlyIfTheSourceAsksForIt) {
  for (const char* macro : {"__DATE__", "__TIME__", "__TIMESTAMP__"}) {
    EXPECT_EQ(clock_records_of(std::string("const char* text = ") + macro + ";\n"), 1U) << macro;
  }
  EXPECT_EQ(clock_records_of("const char* text = __FILE__;\n", {"-g"}), 0U);
}

TEST_P(CompilerTrace, HoldsNoClockWhereTheCompilerTakesTheDateFromTheEnvironment) {
  traced.changes["SOURCE_DATE_EPOCH"] = "1";
  const std::size_t expected = GetParam().version < 16 ? 1 : 0;  // clang learnt of the variable in version 16
  EXPECT_EQ(clock_records_of("const char* text = __DATE__;\n"), expected);
}

TEST_P(CompilerTrace, OfACompileThatFailsIsCompleteToo) {
  traced.scratch.write("a.hip", "#include <absent.h>\n");
  EXPECT_NE(traced.run(hip({"-o", "a.o"})).exit_code, 0);
  EXPECT_TRUE(traced.has(Kind::open_read, false, "later/absent.h"));
  EXPECT_EQ(traced.trace.ends, traced.trace.programs.size());
}

INSTANTIATE_TEST_SUITE_P(Each, CompilerTrace, testing::Values(Compiler{15}, Compiler{19}), name_of);

}  // namespace
}  // namespace hipcache::trace
