// A project with a common header whose error macro uses __FILE__, as most HIP projects have one: cold, and in a second
// checkout. The host object shows where it was compiled. Device code does not, but may depend on it. So the
// device front ends run, and no back end runs for bitcode that is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

constexpr const char* kFlags = "-O1";

constexpr const char* kCheck = R"(
#include "runtime.h"
extern "C" int printf(const char* format, ...);
#define SOLVER_CHECK(call)                                            \
  do {                                                                \
    if ((call) != 0) printf("%s:%d: failed\n", __FILE__, __LINE__); \
  } while (false)
)";

// Heavy: a long unrolled loop, so that the back end takes far longer than the front end.
constexpr const char* kRelax = R"(
#include "solver/check.h"
__global__ void relax_kernel(float* values, int count) {
#pragma unroll 400
  for (int i = 0; i < 400; ++i) values[i] = values[i + 1] * values[count] + values[i * count];
}
void relax(float* values, int count) {
  relax_kernel<<<1, 64>>>(values, count);
  SOLVER_CHECK(count);
}
)";

// Light: one multiplication.
constexpr const char* kScale = R"(
#include "solver/check.h"
__global__ void scale_kernel(float* values, float factor) { values[0] *= factor; }
void scale(float* values, float factor) {
  scale_kernel<<<1, 64>>>(values, factor);
  SOLVER_CHECK(factor == 0);
}
)";

// Different lengths, so that code which measures the path differs.
constexpr const char* kFirst = "one";
constexpr const char* kSecond = "another/checkout/with/a/longer/name";

class OwnNames : public testing::TestWithParam<Compiler> {
 protected:
  // Writes the project to `checkout`, with more text at the end of a source.
  void check_out(const std::string& checkout, const std::string& source = "relax", const std::string& more = "") const {
    write_runtime(scratch_, checkout + "/include");
    scratch_.write(checkout + "/include/solver/check.h", kCheck);
    for (const auto& [name, text] : {std::pair{"relax", kRelax}, std::pair{"scale", kScale}})
      scratch_.write(checkout + "/src/" + name + ".cpp", text + (name == source ? more : ""));
    scratch_.make_directory(checkout + "/build");
  }

  Arguments command(const std::string& checkout, const std::string& flags, const std::string& source) const {
    const std::string root = scratch_ / checkout;
    return GetParam().hip() + archs({"gfx906"}) + words(flags) +
           Arguments{"-I" + root + "/include", "-c", root + "/src/" + source + ".cpp", "-o", root + "/build/a.o"};
  }

  Counts compile(const std::string& checkout, const std::string& flags = kFlags, const std::string& source = "relax") {
    const std::string root = scratch_ / checkout;
    Oracle oracle(cache_, root);
    const Counts counted = oracle.check(command(checkout, flags, source), {{"HIPCACHE_BASEDIR", root}});
    EXPECT_EQ(oracle.exit_code(), 0);
    return counted;
  }

  // Compiles one source, with that text at its end, in one checkout after the other, each with so many device steps.
  void expect_device_steps(const std::string& text, const std::vector<std::pair<std::string, int>>& checkouts) {
    for (const auto& [checkout, expected] : checkouts) {
      check_out(checkout, "scale", text);
      EXPECT_EQ(compile(checkout, kFlags, "scale").run.at("device"), expected) << checkout;
    }
  }

  // A cold compile, and an edit after which the back end's result is stored on its own. Not checked against the
  // compiler, which would take long.
  void warm(const std::string& kernel) {
    for (const std::string& text : {kernel + "__global__ void gone() {}\n", kernel}) {
      check_out(kFirst, "relax", text);
      const std::string root = scratch_ / kFirst;
      EXPECT_EQ(cache_.run(command(kFirst, kFlags, "relax"), root, {{"HIPCACHE_BASEDIR", root}}).exit_code, 0);
    }
  }

  support::Scratch scratch_;
  Cache cache_;
};

// What no compiler decides.
class OwnNamesByOneCompiler : public OwnNames {};

TEST_P(OwnNames, OfHostCodeCostASecondCheckoutItsFrontEndsAndItsHost) {
  warm("");
  EXPECT_EQ(compile(kFirst).hits, 1);
  check_out(kSecond);
  const Counts other = compile(kSecond);
  EXPECT_EQ(other.run.at("front"), 1);
  EXPECT_EQ(other.hit.at("back"), 1);
  EXPECT_EQ(other.run.at("back"), 0);
  EXPECT_EQ(other.run.at("host"), 1);
  EXPECT_EQ(compile(kSecond).hits, 1);
  EXPECT_EQ(compile(kFirst).hits, 1);
}

// The words before a "(" that begin as HIP's functions do, in the header that declares them.
std::set<std::string> functions_of_hip() {
  std::set<std::string> names;
  const std::string text = support::read_bytes("/usr/include/hip/hip_runtime_api.h");
  for (std::size_t at = text.find("hip"); at != text.npos; at = text.find("hip", at + 1)) {
    std::size_t end = at;
    while (std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    const bool begins = std::isspace(static_cast<unsigned char>(text[at - 1])) != 0;
    if (begins && text[end] == '(' && std::isupper(static_cast<unsigned char>(text[at + 3])) != 0)
      names.insert(text.substr(at, end - at));
  }
  return names;
}

// Each is a word of the source, and some are called. Overloaded functions can be declared again as well.
TEST_P(OwnNames, AreNotThoseOfAUnitThatNamesEveryFunctionOfHips) {
  const std::string begin = "#include <hip/hip_runtime.h>\nnamespace every {\n";
  const auto source_of = [&](const std::set<std::string>& names) {
    std::string text = begin;
    for (const std::string& name : names) text += "using ::" + name + ";\n";
    return text + R"(}
__global__ void kernel(float* values) { values[threadIdx.x] *= 2; }
int run(float* to, const float* from, hipStream_t stream, hipEvent_t event) {
  hipMemcpyAsync(to, from, 4, hipMemcpyDefault, stream);
  hipMemset(to, 0, 4);
  hipEventRecord(event, stream);
  kernel<<<1, 64, 0, stream>>>(to);
  hipStreamSynchronize(stream);
  return hipMemcpy(to, from, 4, hipMemcpyDefault);
}
)";
  };
  Arguments argv = GetParam().hip() + archs({"gfx906"}) + words("-w -O1 -ferror-limit=0");
  std::erase(argv, "-nogpuinc");  // that header wants the compiler's own
  const auto in = [&](const std::string& checkout) {
    return argv + Arguments{"-c", scratch_ / checkout + "/a.hip", "-o", scratch_ / checkout + "/a.o"};
  };
  // What the compiler does not know by that name is a macro, or stands in a comment.
  std::set<std::string> names = functions_of_hip();
  scratch_.write("one/a.hip", source_of(names));
  const std::string errors = run(in("one"), scratch_ / "one").err;
  std::erase_if(names, [&](const std::string& name) { return errors.find("'" + name + "'") != errors.npos; });
  EXPECT_GT(names.size(), 200u) << errors;
  for (const std::string checkout : {"one", "another"}) {
    scratch_.write(checkout + "/a.hip", source_of(names));
    Oracle oracle(cache_, scratch_ / checkout);
    const Counts counted = oracle.check(in(checkout), {{"HIPCACHE_BASEDIR", scratch_ / checkout}});
    ASSERT_EQ(oracle.exit_code(), 0);
    EXPECT_EQ(counted.hits, checkout == "one" ? 0 : 1) << counted.json.dump();
  }
}

TEST_P(OwnNamesByOneCompiler, OfHostCodeCostAThirdCheckoutItsHostAlone) {
  const std::string third = "a/third";
  for (const std::string& checkout : {std::string(kFirst), std::string(kSecond), third}) check_out(checkout);
  compile(kFirst, kFlags, "scale");
  compile(kSecond, kFlags, "scale");
  const Counts other = compile(third, kFlags, "scale");
  EXPECT_EQ(other.run.at("device"), 0);
  EXPECT_EQ(other.run.at("host"), 1);
}

TEST_P(OwnNamesByOneCompiler, OfEquallyLongCheckoutsCostTheThirdItsHostAlone) {
  // Whether the code measures the name shows in the last one.
  expect_device_steps("", {{"red", 1}, {"tan", 1}, {"sky", 0}, {"green", 1}});
}

TEST_P(OwnNames, ThatDeviceCodeMeasuresServeNamesOfOneLength) {
  expect_device_steps("__device__ int length = sizeof(__FILE__);\n",
                      {{"red", 1}, {"tan", 1}, {"sky", 0}, {"green", 1}});
}

TEST_P(OwnNamesByOneCompiler, ThatDeviceCodeCutsOffServeNamesThatBeginAlike) {
  const std::string end_of_parent = std::to_string(scratch_.path().size() + 1);
  expect_device_steps("__device__ char cut = __FILE__[" + end_of_parent + "];\n",
                      {{"a/red", 1}, {"a/green", 1}, {"a/blue", 0}, {"b/red", 1}});
}

TEST_P(OwnNames, ThatNothingExpandsCostNothing) {
  for (const std::string checkout : {kFirst, kSecond}) {
    check_out(checkout);
    scratch_.write(
        checkout + "/src/plain.cpp",
        "#include <solver/check.h>\n__attribute__((device)) int f(int* p) { return *p; }\nint g() { return 1; }\n");
    const Counts counted = compile(checkout, kFlags, "plain");
    EXPECT_EQ(counted.run.at("device") + counted.run.at("host"), checkout == kFirst ? 2 : 0) << checkout;
  }
}

TEST_P(OwnNames, ThatDeviceCodeMeasuresRunTheBackEnd) {
  const std::string kernel = "__device__ int length = sizeof(__FILE__);\n";
  warm(kernel);
  check_out(kSecond, "relax", kernel);
  const Counts other = compile(kSecond);
  EXPECT_EQ(other.run.at("front"), 1);
  EXPECT_EQ(other.hit.at("back"), 0);
  EXPECT_EQ(other.run.at("device"), 1);
}

TEST_P(OwnNamesByOneCompiler, ThatDeviceCodeHashesRunTheBackEnd) {
  const std::string kernel =
      "constexpr unsigned hash(const char* s) { unsigned h = 7; while (*s) h = h * 31 + *s++; return h; }\n"
      "template <unsigned N> __global__ void odd(int* x) { *x = N % 2 ? 1 : 2; }\n"
      "template __global__ void odd<hash(__FILE__)>(int*);\n";
  warm(kernel);
  check_out(kSecond, "relax", kernel);
  EXPECT_EQ(compile(kSecond).hit.at("back"), 0);
}

TEST_P(OwnNames, ThatAreMappedAreSharedByAll) {
  for (const std::string checkout : {kFirst, kSecond}) {
    check_out(checkout);
    const std::string mapped = std::string(kFlags) + " -ffile-prefix-map=" + (scratch_ / checkout) + "=.";
    const Counts counted = compile(checkout, mapped, "scale");
    EXPECT_EQ(counted.run.at("device") + counted.run.at("host"), checkout == kFirst ? 2 : 0) << checkout;
  }
}

TEST_P(OwnNamesByOneCompiler, AreNamedByExplainAndByTheStatisticsWithWhatHelps) {
  for (const std::string checkout : {kFirst, kSecond}) check_out(checkout);
  compile(kFirst, kFlags, "scale");
  const std::string root = scratch_ / kSecond;
  const Ended told =
      cache_.run(Arguments{"--explain", "--"} + command(kSecond, kFlags, "scale"), root, {{"HIPCACHE_BASEDIR", root}});
  EXPECT_THAT(told.out, testing::HasSubstr("src/scale.cpp:6 (by SOLVER_CHECK) uses __FILE__")) << told.err;
  EXPECT_THAT(told.out, testing::HasSubstr("-ffile-prefix-map=" + root + "=."));
  const nlohmann::json counted = cache_.counts().json;
  EXPECT_EQ(counted.at("tied").at("own-name"), 2) << counted.dump();
  EXPECT_THAT(counted.at("tied_detail").at("own-name").get<std::string>(),
              testing::HasSubstr("src/scale.cpp:6 (by SOLVER_CHECK) uses __FILE__"));
  EXPECT_THAT(cache_.control("--show-stats").out, testing::HasSubstr("own-name"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, OwnNames, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, OwnNamesByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
