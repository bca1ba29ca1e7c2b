// Several sources that are compiled and linked by one command. fixtures/cases/several_sources.toml has what must run
// after an edit.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMain = R"(
#include "runtime.h"
int part();
__global__ void kernel(float* data) { data[0] *= 2; }
static __device__ int variable = 1;
int* place() { return &variable; }
int main() { kernel<<<1, 64>>>(nullptr); return part(); }
)";

constexpr const char* kPart = R"(
#include "runtime.h"
__global__ void kernel_of_part(float* data) { data[0] *= 3; }
static __device__ int variable = 2;
int* place_of_part() { return &variable; }
int part() { kernel_of_part<<<1, 64>>>(nullptr); return 0; }
)";

// The assembler puts a byte into the section of the fatbin.
constexpr const char* kRejectsFatbin = "__asm__(\".section .hip_fatbin,\\\"a\\\",@progbits\\n.byte 1\\n.text\\n\");\n";

class SeveralSources : public SingleCompile {
 protected:
  SeveralSources() {
    project_.write("a.hip", kMain);
    project_.write("b.hip", kPart);
  }

  Arguments program(const std::string& flags = "") const {
    return GetParam().hip() + archs({"gfx906", "gfx1030"}) +
           words("-O1 -no-hip-rt -Wl,-z,noexecstack -Wl,--unresolved-symbols=ignore-all " + flags +
                 " a.hip b.hip -o app");
  }

  void expect_whole(const Arguments& argv, const Variables& variables = {}) {
    const Counts cold = check(argv, variables);
    EXPECT_EQ(cold.passed, 0) << cold.json.dump();
    EXPECT_EQ(cold.run.at("device"), 4) << cold.json.dump();
    EXPECT_EQ(cold.run.at("host"), 2) << cold.json.dump();
    EXPECT_EQ(cold.run.at("link"), 1) << cold.json.dump();
    expect_hit(argv, variables);
  }

  void expect_hit(const Arguments& argv, const Variables& variables = {}) {
    fs::remove(project_ / "app");
    EXPECT_EQ(check(argv, variables).hits, 1);
  }

  std::size_t ids_in(const std::string& program) const {
    std::istringstream lines(run({GetParam().tools() + "/llvm-nm", program}, project_.path()).out);
    std::size_t ids = 0;
    for (std::string line; std::getline(lines, line);) ids += line.find("__hip_cuid_") != line.npos ? 1 : 0;
    return ids;
  }
};

TEST_P(SeveralSources, HaveIdsOfTheirOwn) {
  expect_whole(program());
  EXPECT_EQ(ids_in("app"), GetParam().version == "15" ? 0U : 2U);
  const std::string ids = cache_.plan(program(), project_.path()).at("cuid");
  EXPECT_NE(ids.find(" of a.hip, "), ids.npos) << ids;
  EXPECT_TRUE(ids.ends_with(" of b.hip")) << ids;
  EXPECT_NE(ids.substr(0, ids.find(' ')), ids.substr(ids.find(", ") + 2, ids.find(' ')));
}

// The driver gives its temporary objects random names, and a request's directory has another name each time.
TEST_P(SeveralSources, MakeAProgramThatNamesNoTemporaryFile) {
  for (const char* flags : {"", "-g -Wl,--emit-relocs", "--offload-new-driver", "-fuse-ld=lld -Wl,--build-id=sha1"}) {
    fs::remove(project_ / "app");
    check(program(flags));
    const std::string bytes = support::read_bytes(project_ / "app");
    for (const char* name : {"host.o", "1-host", "fatbin.hipfb"})
      EXPECT_EQ(bytes.find(name), bytes.npos) << flags << " " << name;
  }
}

// Its host is compiled after its devices, and that of the other source is not.
TEST_P(SeveralSources, MayRejectTheFatbin) {
  for (const char* source : {"a.hip", "b.hip"}) {
    SCOPED_TRACE(source);
    project_.write("a.hip", kMain);
    project_.write("b.hip", kPart);
    project_.write(source, support::read_bytes(project_ / source) + kRejectsFatbin);
    check(program());
    EXPECT_EQ(check(program()).hits, 1);
    project_.write(source, support::read_bytes(project_ / source) + "int more_of_it;\n");
    check(program());
    expect_hit(program());
  }
}

TEST_P(SeveralSources, AreOneStepWhereNothingIsKnownAboutThem) {
  for (const char* flags : {"-MD -MF a.d", "-flto -fuse-ld=lld", "-fgpu-rdc", "a.hip"}) {
    cache_.run(program(flags), project_.path());
    EXPECT_EQ(cache_.counts().run.at("device"), 0) << flags;
  }
}

TEST_P(SeveralSources, AreReadAgainWhenTheyChangeUnnoticed) {
  check(program());
  const auto time = fs::last_write_time(project_ / "b.hip");
  std::string edited = kPart;
  edited.replace(edited.find("*= 3"), 4, "*= 7");
  project_.write("b.hip", edited);
  fs::last_write_time(project_ / "b.hip", time);
  const Counts counted = check(program());
  EXPECT_EQ(counted.run.at("device"), 2) << counted.json.dump();
  EXPECT_EQ(counted.run.at("link"), 1);
}

TEST_P(SeveralSources, MayBeNamedByAResponseFile) {
  project_.write("sources", "a.hip b.hip\n");
  Arguments argv = program();
  argv.erase(std::find(argv.begin(), argv.end(), "a.hip"), std::find(argv.begin(), argv.end(), "b.hip") + 1);
  argv.push_back("@sources");
  expect_whole(argv);
}

TEST_P(SeveralSources, AreAuditedLikeOne) {
  check(program());
  const Counts counted = check(program(), {{"HIPCACHE_AUDIT", "1"}});
  EXPECT_EQ(counted.json.at("errors"), 0) << counted.json.dump();
  EXPECT_EQ(counted.run.at("device"), 4);
}

TEST_P(SeveralSources, AreSplitBehindHipcc) {
  const support::Scratch toolchain;
  Variables variables{{"HIP_PLATFORM", "amd"}};  // by itself it takes clang 15
  if (GetParam().version != "15") variables["HIP_CLANG_PATH"] = write_toolchain_for_hipcc(toolchain, GetParam());
  fs::rename(project_ / "a.hip", project_ / "a.cpp");
  fs::rename(project_ / "b.hip", project_ / "b.cpp");
  const Arguments argv = Arguments{"hipcc"} + archs({"gfx906", "gfx1030"}) +
                         words(
                             "-std=c++17 -nogpuinc -O1 -no-hip-rt -Wl,-z,noexecstack "
                             "-Wl,--unresolved-symbols=ignore-all a.cpp b.cpp -o app");
  expect_whole(argv, variables);
  project_.write("b.cpp", std::string(kPart) + "__device__ int more = 5;\n");
  const Counts counted = check(argv, variables);
  EXPECT_EQ(counted.run.at("device"), 2) << counted.json.dump();
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_EQ(counted.run.at("link"), 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, SeveralSources, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
