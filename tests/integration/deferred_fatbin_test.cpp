// Deferred fatbin: the host compile runs beside the device compiles. Tests what that spares, and where it is not done.
// The oracle checks every object.
#include <csignal>
#include <cstdint>
#include <random>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

const Arguments kOneMore = archs({"gfx90a"});

class DeferredFatbin : public SingleCompile {};

// What no compiler decides.
class DeferredFatbinByOneCompiler : public DeferredFatbin {};

TEST_P(DeferredFatbin, AnArchMoreAndOneLessCompileNoHost) {
  check(command("-O2 -g"));
  const Counts more = check(command("-O2 -g") + kOneMore);
  EXPECT_EQ(more.run.at("device"), 1);
  EXPECT_EQ(more.run.at("host"), 0);
  EXPECT_EQ(more.hit.at("host"), 1);
  const Counts less = check(GetParam().hip() + archs({"gfx906"}) + words("-O2 -g -c a.hip -o a.o"));
  EXPECT_EQ(less.run.at("device") + less.run.at("host"), 0);
}

TEST_P(DeferredFatbinByOneCompiler, ProvesOnceForAllSourcesOfOneSetOfOptions) {
  EXPECT_EQ(check(command("-O1")).run.at("proof"), 1);
  write_kernel(project_, "b.hip");
  const Arguments other = GetParam().hip() + archs({"gfx906"}) + words("-O1 -DOTHER=1 -Wall -MD -c b.hip -o b.o");
  EXPECT_EQ(check(other).run.at("proof"), 0);
  EXPECT_EQ(check(command("-O1 -fno-exceptions")).run.at("proof"), 1);
}

// A hit needs no proof.
TEST_P(DeferredFatbinByOneCompiler, AHitNeedsNoProof) {
  check(command());
  const Counts hit = check(command());
  EXPECT_EQ(hit.hits, 1);
  EXPECT_EQ(hit.run.at("proof") + hit.hit.at("proof"), 0);
}

// -verify wants each source to say which errors it has. The proof's source does not, so nothing is proved.
TEST_P(DeferredFatbin, TheHostComesLastWhereTheProofDoesNotCompile) {
  project_.write("a.hip", "// expected-no-diagnostics\n" + support::read_bytes(project_ / "a.hip"));
  const Counts cold = check(command("-O0 -Xclang -verify"));
  EXPECT_EQ(cold.run.at("host"), 1) << cold.json.at("not_cached");
  const Counts more = check(command("-O0 -Xclang -verify") + kOneMore);
  EXPECT_EQ(more.run.at("device"), 1);
  EXPECT_EQ(more.run.at("host"), 1);
}

TEST_P(DeferredFatbinByOneCompiler, AReadOnlyCacheWithoutAProofCompilesTheHostLast) {
  const Counts cold = check(command(), {{"HIPCACHE_READONLY", "1"}});
  EXPECT_EQ(cold.run.at("device"), 2);
  EXPECT_EQ(cold.run.at("host"), 1);
  check(command());
  const Counts proved = check(command() + kOneMore, {{"HIPCACHE_READONLY", "1"}});
  EXPECT_EQ(proved.run.at("device"), 1);
  EXPECT_EQ(proved.run.at("host"), 0);
}

// Two code objects, each with an incompressible table. The fatbin and the object both contain them again.
TEST_P(DeferredFatbin, AnObjectIsStoredAsWhatItsPartsLack) {
  constexpr std::int64_t kTable = 40'000;
  std::mt19937 random(20261122);
  std::string table = "__attribute__((used)) __device__ unsigned char table[] = {";
  for (std::int64_t i = 0; i < kTable; ++i) table += std::to_string(random() & 0xff) + ",";
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") + table + "0};\n");
  const Arguments both = command("-O0") + kOneMore;
  EXPECT_EQ(check(both).run.at("device"), 3);
  EXPECT_GT(support::read_bytes(project_ / "a.o").size(), 3 * kTable);
  const std::int64_t stored = cache_.counts().json.at("store").at("bytes").get<std::int64_t>();
  EXPECT_GT(stored, 3 * kTable);
  EXPECT_LT(stored, 4 * kTable);
  EXPECT_EQ(check(both).hits, 1);
}

// As with the driver: the object is removed if the host compile fails, and stays if a device compile fails.
TEST_P(DeferredFatbin, LeavesTheObjectThatTheDriverLeaves) {
  check(command());
  const std::string source = support::read_bytes(project_ / "a.hip");
  for (const char* wrong : {"#ifdef __HIP_DEVICE_COMPILE__\n#error device\n#endif\n",
                            "#ifndef __HIP_DEVICE_COMPILE__\n#error host\n#endif\n", "#error both\n"}) {
    project_.write("a.hip", source + wrong);
    project_.write("a.o", "what was there");
    oracle_.check(command());
    EXPECT_EQ(oracle_.exit_code(), 1) << wrong;
  }
}

// Host code and an inline device function alone: clang writes no fatbin into such an object.
constexpr const char* kWithoutKernel = R"(
#include "runtime.h"
static inline __device__ float twice(float x) { return 2 * x; }
static int calls = 0;
int count() { return ++calls; }
const char* name() { return "no kernel here"; }
)";

// Split debug information puts the output's name into the object, so each unit needs its own proof.
bool is_named_after_the_output(const std::string& flags) { return flags.find("split-dwarf") != std::string::npos; }

TEST_P(DeferredFatbin, AUnitWithoutKernelsIsCompleteAsItIs) {
  write_kernel(project_, "b.hip");
  for (const char* flags : {"-O0 -MD", "-O2 -g", "-O1 -g -gsplit-dwarf", "-O1 -fgpu-rdc"}) {
    SCOPED_TRACE(flags);
    const Arguments unit = GetParam().hip() + archs({"gfx906"}) + words(std::string(flags) + " -c a.hip -o a.o");
    project_.write("a.hip", kWithoutKernel);
    EXPECT_EQ(cache_.control("--clear").exit_code, 0);
    const Counts cold = check(unit);
    EXPECT_EQ(cold.misses, 1) << cold.json.at("not_cached");
    EXPECT_EQ(cold.run.at("host"), 1);
    EXPECT_EQ(cold.run.at("device"), 1);
    EXPECT_TRUE(cold.not_stored.empty()) << cold.json.at("not_stored");
    const std::string object = support::read_bytes(project_ / "a.o");
    EXPECT_EQ(oracle_.check_again().hits, 1);

    const Counts more = check(unit + kOneMore);
    EXPECT_EQ(more.partials, 1);
    EXPECT_EQ(more.run.at("device"), 1);
    EXPECT_EQ(more.run.at("host"), 0);
    cache_.end_daemon(SIGTERM);
    const Counts after = check(unit + archs({"gfx900"}));
    EXPECT_EQ(after.run.at("device"), 1);
    EXPECT_EQ(after.run.at("host") + after.run.at("proof"), 0);

    // A unit without kernels must not invalidate the proof for the other units.
    const Arguments other = GetParam().hip() + words(std::string(flags) + " -c b.hip -o b.o") + archs({"gfx906"});
    const Counts beside = check(other);
    EXPECT_EQ(beside.run.at("host"), 1);
    if (!is_named_after_the_output(flags)) {
      EXPECT_EQ(beside.run.at("proof"), 0);
    }
    EXPECT_EQ(check(other + archs({"gfx90a"})).run.at("host"), 0);

    EXPECT_EQ(cache_.control("--clear").exit_code, 0);
    EXPECT_EQ(check(unit).misses, 1);
    EXPECT_EQ(support::read_bytes(project_ / "a.o"), object) << "a clean rebuild makes other bytes";
  }
}

// The source puts its own bytes into the fatbin's section, so the placeholder is not alone there.
constexpr const char* kOwnBytesBesideTheFatbin =
    "#ifndef __HIP_DEVICE_COMPILE__\n"
    "__asm__(\".section .hip_fatbin,\\\"a\\\",@progbits\\n.byte 1\\n.text\\n\");\n"
    "#endif\n";

TEST_P(DeferredFatbin, AnObjectThatTakesNoFatbinIsCompiledWithItInTheSameRequest) {
  write_kernel(project_, "a.hip", kOwnBytesBesideTheFatbin);
  write_kernel(project_, "b.hip");
  const Arguments other = GetParam().hip() + words("-O1 -c b.hip -o b.o") + archs({"gfx906"});
  check(other);
  const Counts cold = check(command());
  EXPECT_EQ(cold.misses + cold.partials, 1) << cold.json.at("not_cached");
  EXPECT_EQ(cold.passed, 0);
  EXPECT_EQ(cold.run.at("device"), 2);
  EXPECT_EQ(cold.run.at("bundle"), 1);
  EXPECT_EQ(cold.run.at("host"), 2) << "with the placeholder, then with the fatbin";
  EXPECT_EQ(oracle_.check_again().hits, 1);

  // By now the daemon knows that this host compile must run last.
  const Counts more = check(command() + kOneMore);
  EXPECT_EQ(more.run.at("device"), 1);
  EXPECT_EQ(more.run.at("host"), 1);
  EXPECT_EQ(more.hit.at("host"), 0);
  // A new daemon learns that from the store.
  cache_.end_daemon(SIGTERM);
  const Counts after = check(command() + kOneMore + archs({"gfx900"}));
  EXPECT_EQ(after.run.at("device"), 1);
  EXPECT_EQ(after.run.at("host"), 1);
  EXPECT_EQ(after.passed, 0);

  // The other unit keeps its deferred fatbin.
  const Counts beside = check(other + kOneMore);
  EXPECT_EQ(beside.run.at("device"), 1);
  EXPECT_EQ(beside.run.at("host"), 0);
}

// The messages are the second compile's, and the driver's order is kept.
TEST_P(DeferredFatbin, AnObjectThatTakesNoFatbinBringsWarningsOnceAndFailsAsTheCompilerDoes) {
  write_kernel(project_, "a.hip", std::string(kOwnBytesBesideTheFatbin) + "#warning once\n");
  EXPECT_EQ(check(command("-O1 -MD")).passed, 0);
  EXPECT_EQ(oracle_.check_again().hits, 1);
  EXPECT_EQ(check(command("-O1 -MD"), {{"HIPCACHE_RECACHE", "1"}}).run.at("host"), 1);
  EXPECT_EQ(check(command("-O1 -MD -DREAD=1"), {{"HIPCACHE_READONLY", "1"}}).passed, 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, DeferredFatbin, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, DeferredFatbinByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
