// A common header with __FILE__ in a macro for errors, as most HIP projects have: cold, in a second build directory,
// and in a second checkout. The host's object shows where it was compiled. The devices' code does not, but might have
// been shaped by it: so their front ends run, and no back end runs whose bitcode is the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/single_compile.h"

namespace hipcache::integration {
namespace {

// Of different lengths, so that whatever measures the path finds it out.
constexpr const char* kFirst = "one";
constexpr const char* kSecond = "another/checkout/with/a/longer/name";

constexpr const char* kCommonHeader =
    "#pragma once\n"
    "extern \"C\" int printf(const char*, ...);\n"
    "#define CHECK(x) if ((x) != 0) printf(\"%s:%d\", __FILE__, __LINE__)\n";

// Its back end takes a second of processor time and its front end next to none.
std::string heavy(const std::string& extra) {
  return "#include \"common.h\"\n" + extra +
         "__global__ void heavy(float* x, int n) {\n#pragma unroll 700\n"
         "  for (int i = 0; i < 700; ++i) x[i] = x[i + 1] * x[n] + x[i * n];\n}\n"
         "int host(int error) { CHECK(error); return error; }\n";
}

class OwnNames : public testing::TestWithParam<Compiler> {
 protected:
  void write(const std::string& checkout, const std::string& kernel) {
    write_kernel(scratch_, checkout + "/src/a.hip", kernel);
    scratch_.write(checkout + "/include/common.h", kCommonHeader);
    for (const char* build : {"/build", "/build2"}) scratch_.make_directory(checkout + build);
  }

  Arguments command(const std::string& checkout, const std::string& build, const std::string& flags) const {
    const std::string root = scratch_ / checkout;
    return GetParam().hip() + archs({"gfx906"}) + words(flags) +
           Arguments{"-I" + root + "/include", "-c", root + "/src/a.hip", "-o", root + "/" + build + "/a.o"};
  }

  Counts compile(const std::string& checkout, const std::string& build = "build", const std::string& flags = "-O1") {
    const std::string root = scratch_ / checkout;
    Oracle oracle(cache_, root);
    const Counts counted = oracle.check(command(checkout, build, flags), {{"HIPCACHE_BASEDIR", root}});
    EXPECT_EQ(oracle.exit_code(), 0);
    return counted;
  }

  // A cold compile, and an edit that has the back end's result stored by itself. Not held against the compiler, which
  // takes its time.
  void warm(const std::string& kernel) {
    for (const std::string& text : {heavy("__global__ void gone() {}\n"), kernel}) {
      write(kFirst, text);
      const std::string root = scratch_ / kFirst;
      EXPECT_EQ(cache_.run(command(kFirst, "build", "-O1"), root, {{"HIPCACHE_BASEDIR", root}}).exit_code, 0);
    }
  }

  support::Scratch scratch_;
  Cache cache_;
};

TEST_P(OwnNames, OfHostCodeCostASecondCheckoutItsFrontEndsAndItsHost) {
  warm(heavy(""));
  EXPECT_EQ(compile(kFirst).hits, 1);
  write(kSecond, heavy(""));
  const Counts other = compile(kSecond);
  EXPECT_EQ(other.run.at("front"), 1);
  EXPECT_EQ(other.hit.at("back"), 1);
  EXPECT_EQ(other.run.at("back"), 0);
  EXPECT_EQ(other.run.at("host"), 1);
  EXPECT_EQ(compile(kSecond).hits, 1);
  EXPECT_EQ(compile(kFirst).hits, 1);
}

TEST_P(OwnNames, ThatDeviceCodeMeasuresRunTheBackEnd) {
  const std::string kernel = heavy("__device__ int length = sizeof(__FILE__);\n");
  warm(kernel);
  write(kSecond, kernel);
  const Counts other = compile(kSecond);
  EXPECT_EQ(other.run.at("front"), 1);
  EXPECT_EQ(other.hit.at("back"), 0);
  EXPECT_EQ(other.run.at("device"), 1);
}

TEST_P(OwnNames, ThatDeviceCodeHashesRunTheBackEnd) {
  const std::string kernel = heavy(
      "constexpr unsigned hash(const char* s) { unsigned h = 7; while (*s) h = h * 31 + *s++; return h; }\n"
      "template <unsigned N> __global__ void odd(int* x) { *x = N % 2 ? 1 : 2; }\n"
      "template __global__ void odd<hash(__FILE__)>(int*);\n");
  warm(kernel);
  write(kSecond, kernel);
  EXPECT_EQ(compile(kSecond).hit.at("back"), 0);
}

TEST_P(OwnNames, ThatAreMappedAreSharedByAll) {
  for (const std::string checkout : {kFirst, kSecond}) {
    write(checkout, "#include \"common.h\"\nint host(int error) { CHECK(error); return error; }\n");
    const Counts counted = compile(checkout, "build", "-O1 -ffile-prefix-map=" + (scratch_ / checkout) + "=.");
    EXPECT_EQ(counted.run.at("device") + counted.run.at("host"), checkout == kFirst ? 2 : 0) << checkout;
  }
}

TEST_P(OwnNames, AreNamedByExplainAndByTheStatisticsWithWhatHelps) {
  for (const std::string checkout : {kFirst, kSecond})
    write(checkout, "#include \"common.h\"\nint host(int error) { CHECK(error); return error; }\n");
  compile(kFirst);
  const std::string root = scratch_ / kSecond;
  const Ended told =
      cache_.run(Arguments{"--explain", "--"} + command(kSecond, "build", "-O1"), root, {{"HIPCACHE_BASEDIR", root}});
  EXPECT_THAT(told.out, testing::HasSubstr("include/common.h uses __FILE__")) << told.err;
  EXPECT_THAT(told.out, testing::HasSubstr("-ffile-prefix-map=" + root + "=."));
  const nlohmann::json counted = cache_.counts().json;
  EXPECT_EQ(counted.at("tied").at("own-name"), 2) << counted.dump();
  EXPECT_THAT(counted.at("tied_detail").at("own-name").get<std::string>(),
              testing::HasSubstr("include/common.h uses __FILE__"));
  EXPECT_THAT(cache_.control("--show-stats").out, testing::HasSubstr("own-name"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, OwnNames, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
