// Links of relocatable device code. Each arch's link is a step of its own, which does not depend on the other archs,
// the host or the host's linker.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernel = R"(
#include "runtime.h"
extern __device__ float scale(float);
__global__ void kernel(float* data) { data[0] = scale(data[0]); }
void launch(float* data) { kernel<<<1, 64>>>(data); }
int main() { launch(nullptr); }
)";

constexpr const char* kScale = R"(
#include "runtime.h"
__device__ float scale(float x) { return x * FACTOR; }
__global__ void other(float* data) { data[1] = scale(data[1]); }
void launch_other(float* data) { other<<<1, 64>>>(data); }
#if !__HIP_DEVICE_COMPILE__
int of_the_host() { return HOST; }
#endif
)";

// How many steps of a link ran.
struct Steps {
  std::int64_t unbundle = 0, device = 0, bundle = 0, link = 0;
  bool operator==(const Steps&) const = default;
};

void PrintTo(const Steps& steps, std::ostream* out) {
  *out << steps.unbundle << " unbundles, " << steps.device << " devices, " << steps.bundle << " bundles, " << steps.link
       << " links";
}

class RdcLink : public SingleCompile {
 protected:
  RdcLink() {
    project_.write("a.hip", kKernel);
    project_.write("b.hip", kScale);
    compile("a");
    compile("b");
  }

  static bool clang15() { return GetParam().version == "15"; }

  void compile(const std::string& name, const std::string& defines = "-DFACTOR=2 -DHOST=1") const {
    const Arguments argv = GetParam().hip() + archs({"gfx906", "gfx1030"}) +
                           words("-O1 -fPIC -fgpu-rdc -cuid=" + name + " " + defines) +
                           Arguments{"-c", name + ".hip", "-o", name + ".o"};
    const Ended ended = run(argv, project_.path());
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }

  void archive() const {
    fs::remove(project_ / "libb.a");
    ASSERT_EQ(run(words("ar rcsD libb.a b.o"), project_.path()).exit_code, 0);
  }

  // clang 15's assembly does not mark the stack as non-executable, and the linker warns about that.
  Arguments link(const std::string& what, const Arguments& targets = archs({"gfx906", "gfx1030"})) const {
    return Arguments{GetParam().program(), "-B" + GetParam().tools()} + targets +
           words(
               "--hip-link -fgpu-rdc -no-hip-rt --rocm-path=/usr -Wl,-z,noexecstack "
               "-Wl,--unresolved-symbols=ignore-all " +
               what);
  }

  static Steps run_in(const Counts& counted) {
    return {counted.run.at("unbundle"), counted.run.at("device"), counted.run.at("bundle"), counted.run.at("link")};
  }

  void expect_runs(const Steps& steps, const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(run_in(counted), steps);
    EXPECT_EQ(counted.passed, 0) << counted.json.at("not_cached");
  }

  void expect_hit(const Arguments& argv) {
    const Counts counted = check(argv);
    EXPECT_EQ(counted.hits, 1);
    EXPECT_EQ(run_in(counted), Steps{});
    EXPECT_EQ(counted.run.at("probe"), 0);
  }

  // Replaces the names of intermediate files in a linker's messages, because the driver chooses new names each time.
  static std::string less_chance(const std::string& text) {
    return std::regex_replace(text, std::regex("/tmp/[^: \n]*"), "FILE");
  }

  Ended check_but_for_chance(const Arguments& argv) const {
    const Ended alone = run(argv, project_.path());
    fs::remove(project_ / "app");
    const Ended cached = cache_.run(argv, project_.path());
    EXPECT_EQ(cached.exit_code, alone.exit_code);
    EXPECT_EQ(less_chance(cached.err), less_chance(alone.err));
    return cached;
  }

  void expect_failure(const Arguments& argv) const {
    const Counts before = cache_.counts();
    EXPECT_EQ(check_but_for_chance(argv).exit_code, 1);
    EXPECT_EQ((cache_.counts() - before).reasons.at("step-failed"), 1);
    EXPECT_FALSE(fs::exists(project_ / "app"));
  }
};

// What no compiler decides.
class RdcLinkByOneCompiler : public RdcLink {};

TEST_P(RdcLink, IsAHitAsLongAsNothingChanges) {
  const Arguments app = link("a.o b.o -o app");
  expect_runs({.unbundle = 2, .device = 2, .bundle = 1, .link = 1}, app);
  fs::remove(project_ / "app");
  expect_hit(app);
  expect_hit(app);
  expect_runs({.link = 1}, link("-shared a.o b.o -Wl,-soname,libapp.so -o libapp.so"));
  expect_hit(link("-shared a.o b.o -Wl,-soname,libapp.so -o libapp.so"));
}

TEST_P(RdcLink, IsOneStepByTheNewDriver) {
  for (const char* name : {"a", "b"}) compile(name, "-DFACTOR=2 -DHOST=1 --offload-new-driver");
  const Arguments app = link("--offload-new-driver a.o b.o -o app");
  expect_runs({.link = 1}, app);
  fs::remove(project_ / "app");
  expect_hit(app);
  expect_hit(link("--offload-new-driver a.o b.o -o app", archs({"gfx1030,gfx906"})));
  compile("b", "-DFACTOR=3 -DHOST=1 --offload-new-driver");
  expect_runs({.link = 1}, app);
}

// No source is compiled, so no id is missing.
TEST_P(RdcLink, IsCachedByTheNewDriverWithOptionsThatNobodySplits) {
  for (const char* name : {"a", "b"}) compile(name, "-DFACTOR=2 -DHOST=1 --offload-new-driver");
  for (const char* flags : {"-Xoffload-linker --build-id=md5", "-save-temps", "-emit-llvm", "--emit-static-lib"}) {
    if (clang15() && std::string(flags).starts_with("-X")) continue;  // it has no such option
    const Arguments app = link(std::string("--offload-new-driver a.o b.o -o app ") + flags);
    check(app);
    fs::remove(project_ / "app");
    const Counts again = check(app);
    EXPECT_EQ(again.passed, 0) << again.json.at("not_cached");
    EXPECT_EQ(again.hits, 1) << flags;
  }
}

TEST_P(RdcLink, TakesAChangedObjectApartAndLinksEveryArchAnew) {
  check(link("a.o b.o -o app"));
  compile("b", "-DFACTOR=3 -DHOST=1");
  expect_runs({.unbundle = 1, .device = 2, .bundle = 1, .link = 1}, link("a.o b.o -o app"));
  expect_hit(link("a.o b.o -o app"));
  compile("b");
  expect_hit(link("a.o b.o -o app"));
}

TEST_P(RdcLink, LinksNoDeviceAnewForAChangeOfTheHosts) {
  check(link("a.o b.o -o app"));
  compile("b", "-DFACTOR=2 -DHOST=2");
  expect_runs({.unbundle = 1, .link = 1}, link("a.o b.o -o app"));
}

// Since clang 16 the driver opens the objects while it plans, and the trace does not show what it reads there
// (docs/internals/plan.md). It prints the same plan, so only the driver runs.
TEST_P(RdcLink, AsksTheDriverAgainOnlyWhereItReadsTheObjects) {
  const Arguments app = link("a.o b.o -o app");
  EXPECT_EQ(check(app).run.at("probe"), 1);
  compile("b", "-DFACTOR=2 -DHOST=2");
  const Counts changed = check(app);
  EXPECT_EQ(changed.run.at("probe"), clang15() ? 0 : 1);
  EXPECT_EQ(run_in(changed), (Steps{.unbundle = 1, .link = 1}));
  compile("b");
  expect_hit(app);
}

TEST_P(RdcLink, LinksAnAddedArchAlone) {
  expect_runs({.unbundle = 2, .device = 1, .bundle = 1, .link = 1}, link("a.o b.o -o app", archs({"gfx906"})));
  const Counts more = check(link("a.o b.o -o app"));
  EXPECT_EQ(run_in(more), (Steps{.unbundle = 2, .device = 1, .bundle = 1, .link = 1}));
  EXPECT_EQ(more.run.at("device gfx1030"), 1);
  expect_hit(link("a.o b.o -o app", archs({"gfx1030,gfx906"})));
  expect_runs({.unbundle = 2, .bundle = 1, .link = 1}, link("a.o b.o -o app", archs({"gfx1030"})));
}

// Members without code for devices concern the host's linker alone.
TEST_P(RdcLink, TakesArchivesWithOrdinaryObjectsToo) {
  const auto archive_with = [&](const std::string& members, int value) {
    project_.write("plain.cpp", "int plain() { return " + std::to_string(value) + "; }\n");
    EXPECT_EQ(run(words("g++ -fPIC -c plain.cpp -o plain.o"), project_.path()).exit_code, 0);
    fs::remove(project_ / "libplain.a");
    EXPECT_EQ(run(words("ar rcsD libplain.a " + members), project_.path()).exit_code, 0);
  };
  for (const char* members : {"plain.o b.o", "plain.o"}) {
    const std::string alone = members == std::string("plain.o") ? "b.o " : "";
    const Arguments argv = link("a.o " + alone + "-L. -lplain -Wl,--undefined=_Z5plainv -o app");
    archive_with(members, 1);
    EXPECT_EQ(check(argv).passed, 0);
    EXPECT_EQ(check(argv).hits, 1);
    archive_with(members, 2);
    const Counts edited = check(argv);
    EXPECT_EQ(edited.run.at("device"), 0) << edited.json.dump();
    EXPECT_EQ(edited.run.at("link"), 1) << edited.json.dump();
    archive_with(members, 1);
    EXPECT_EQ(check(argv).hits, 1);
  }
}

// clang 15 looks for device code only in archives that -l names.
TEST_P(RdcLink, TakesArchivesApartForEachArch) {
  archive();
  const Arguments app = link("a.o -L. -lb -o app");
  expect_runs({.unbundle = 3, .device = 2, .bundle = 1, .link = 1}, app);
  expect_hit(app);
  compile("b", "-DFACTOR=2 -DHOST=2");
  archive();
  expect_runs({.unbundle = 2, .link = 1}, app);
  compile("b", "-DFACTOR=3 -DHOST=2");
  archive();
  expect_runs({.unbundle = 2, .device = 2, .bundle = 1, .link = 1}, app);
  if (clang15()) {
    expect_failure(link("a.o libb.a -o app"));
  } else {
    // The fatbin's object has a symbol for each object that the driver finds. With -l the driver does not find them.
    expect_runs({.unbundle = 2, .bundle = 1, .link = 1}, link("a.o libb.a -o app"));
  }
}

TEST_P(RdcLinkByOneCompiler, TakesObjectsOfOneNameFromSeveralPlaces) {
  project_.make_directory("sub");
  fs::copy_file(project_ / "b.o", project_ / "sub/a.o");
  project_.write("host.c", "int host;\n");
  ASSERT_EQ(run(words("cc -fPIC -c host.c -o host.o"), project_.path()).exit_code, 0);
  project_.write("inputs.rsp", "a.o sub/a.o host.o\n");
  project_.make_directory("out");
  expect_runs({.unbundle = 3, .device = 2, .bundle = 1, .link = 1},
              link("-shared @inputs.rsp -o " + (project_ / "out/app")));
  expect_hit(link("-shared @inputs.rsp -o " + (project_ / "out/app")));
}

TEST_P(RdcLink, EndsAsTheDriverDoesWhenADeviceLinkFails) {
  expect_failure(link("a.o -o app"));
  expect_failure(link("a.o -o app"));
}

TEST_P(RdcLink, EndsAsTheDriverDoesWhenTheHostLinkFails) { expect_failure(link("a.o b.o -lmissing -o app")); }

TEST_P(RdcLink, LinksAnewWithAnotherLinker) {
  const std::string tools = project_.make_directory("tools");
  fs::copy_file(GetParam().tools() + "/lld", tools + "/lld");
  fs::copy_file("/usr/bin/ld", tools + "/ld");
  const Arguments app = link("a.o b.o -o app") + Arguments{"-B" + tools};
  const Arguments with_tools = Arguments{GetParam().program(), "-B" + tools} + Arguments(app.begin() + 1, app.end());
  check(with_tools);
  expect_hit(with_tools);
  std::ofstream(tools + "/lld", std::ios::app) << 'x';
  expect_runs({.device = 2}, with_tools);
  std::ofstream(tools + "/ld", std::ios::app) << 'x';
  expect_runs({.link = 1}, with_tools);
}

TEST_P(RdcLinkByOneCompiler, LinksTheHostAnewForAChangedLibraryOrScript) {
  project_.write("lib.c", "int of_a_library(void) { return 1; }\n");
  const auto build = [this] {
    EXPECT_EQ(run(words("cc -shared -fPIC lib.c -o liblib.so"), project_.path()).exit_code, 0);
  };
  build();
  project_.write("app.map", "{ global: main; local: *; };\n");
  const Arguments app = link("a.o b.o -L. -llib -Wl,--version-script=app.map -o app");
  check(app);
  expect_hit(app);
  project_.write("lib.c", "int of_a_library(void) { return 1; } int more(void) { return 2; }\n");
  build();
  expect_runs({.link = 1}, app);
  project_.write("app.map", "{ global: main; launch; local: *; };\n");
  expect_runs({.link = 1}, app);
}

TEST_P(RdcLinkByOneCompiler, RunsTheHostsLinkerEachTimeWhereOptionsLetItDiffer) {
  const Arguments app = link("a.o b.o -Wl,--build-id=uuid -o app");
  for (const Steps& steps : {Steps{.unbundle = 2, .device = 2, .bundle = 1, .link = 1}, Steps{.link = 1}}) {
    const Counts before = cache_.counts();
    EXPECT_EQ(cache_.run(app, project_.path()).exit_code, 0);
    const Counts counted = cache_.counts() - before;
    EXPECT_EQ(run_in(counted), steps);
    EXPECT_EQ(counted.not_stored.at("linker-option"), 1);
  }
}

TEST_P(RdcLinkByOneCompiler, LeavesAMapOfTheLinkersEachTime) {
  const Arguments app = link("a.o b.o -Wl,-Map=app.map -o app");
  check(link("a.o b.o -o other"));
  for (int time = 0; time < 2; ++time) {
    const Counts before = cache_.counts();
    EXPECT_EQ(cache_.run(app, project_.path()).exit_code, 0);
    EXPECT_EQ(run_in(cache_.counts() - before), Steps{.link = 1});
    EXPECT_TRUE(fs::remove(project_ / "app.map"));
    EXPECT_EQ(support::read_bytes(project_ / "app"), support::read_bytes(project_ / "other"));
  }
}

TEST_P(RdcLink, SaysWhatLinkersSay) {
  project_.write("stack.s", ".globl nothing\n");
  ASSERT_EQ(run(words("cc -c stack.s -o stack.o"), project_.path()).exit_code, 0);
  Arguments app = link("stack.o a.o b.o -o app");
  std::erase(app, "-Wl,-z,noexecstack");
  for (int time = 0; time < 2; ++time)
    EXPECT_NE(check_but_for_chance(app).err.find("missing .note.GNU-stack"), std::string::npos);
  EXPECT_EQ(cache_.counts().hits, 1);
}

TEST_P(RdcLinkByOneCompiler, MakesProgramsThatTheUmaskLetsBeExecuted) {
  const mode_t before = umask(027);
  expect_runs({.unbundle = 2, .device = 2, .bundle = 1, .link = 1}, link("a.o b.o -o app"));
  fs::remove(project_ / "app");
  expect_hit(link("a.o b.o -o app"));
  umask(before);
  struct stat status{};
  ASSERT_EQ(stat((project_ / "app").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0750u);
}

TEST_P(RdcLink, IsOneStepWhereItCompilesToo) {
  const Arguments argv = link("-x hip -nogpuinc -nogpulib -std=c++17 a.hip b.o -o app");
  const Ended ended = cache_.run(argv, project_.path());
  EXPECT_EQ(cache_.counts().passed, 0) << ended.err;
  EXPECT_EQ(cache_.counts().run.at("device"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, RdcLink, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, RdcLinkByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
