// Two objects linked into one program. CUIDs keep translation units apart, so these tests look at the ids in the
// objects. They also link and run programs over a runtime that prints what was registered with it.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

using Lines = std::multiset<std::string>;

// All names are local, as in a file that two parts of a project compile separately.
constexpr const char* kSource = R"(
#include "runtime.h"
static __device__ float scale = 2;
namespace {
__global__ void kernel(float* data) { data[0] *= scale; }
}
static void launch() { kernel<<<1, 64>>>(nullptr); }
__attribute__((section("launches"), used)) static void (*listed)() = launch;
)";

constexpr const char* kMain = R"(
extern void (*__start_launches[])(void);
extern void (*__stop_launches[])(void);
int main(void) {
  for (void (**launch)(void) = __start_launches; launch != __stop_launches; ++launch) (*launch)();
  return 0;
}
)";

// Replaces the HIP runtime. Prints each kernel with the number of its fatbin and how many of that fatbin's code objects
// have it. Then prints what is launched.
constexpr const char* kRuntimeLibrary = R"(
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct fatbin { unsigned magic, version; const char* bytes; void* unused; };
struct kernel { const void* function; const char* name; long fatbin; };
static struct fatbin* fatbins[8];
static struct kernel kernels[8];
static long fatbin_count, kernel_count;

static unsigned code_objects_with(const char* bytes, const char* name) {
  uint64_t count, place[3]; /* offset, size, length of the target's name */
  unsigned found = 0;
  memcpy(&count, bytes + strlen("__CLANG_OFFLOAD_BUNDLE__"), sizeof count);
  const char* entry = bytes + strlen("__CLANG_OFFLOAD_BUNDLE__") + sizeof count;
  for (; count > 0; --count, entry += sizeof place + place[2]) {
    memcpy(place, entry, sizeof place);
    found += memmem(bytes + place[0], place[1], name, strlen(name) + 1) != NULL;
  }
  return found;
}

void** __hipRegisterFatBinary(struct fatbin* fatbin) {
  fatbins[fatbin_count] = fatbin;
  return (void**)++fatbin_count;
}
void __hipUnregisterFatBinary(void** fatbin) { (void)fatbin; }
void __hipRegisterVar(void) {}
int __hipRegisterFunction(void** fatbin, const void* function, char* host_name, const char* name) {
  kernels[kernel_count++] = (struct kernel){function, name, (long)fatbin};
  printf("fatbin %ld has %s in %u code objects\n", (long)fatbin, name,
         code_objects_with(fatbins[(long)fatbin - 1]->bytes, name));
  return 0;
}
int __hipPushCallConfiguration(void) { return 0; }
int __hipPopCallConfiguration(void) { return 0; }
int hipLaunchKernel(const void* function) {
  for (long i = 0; i < kernel_count; ++i)
    if (kernels[i].function == function) printf("launched %s of fatbin %ld\n", kernels[i].name, kernels[i].fatbin);
  return 0;
}
)";

class Linking : public SingleCompile {
 protected:
  Linking() { project_.write("a.hip", kSource); }

  bool clang15() const { return GetParam().version == "15"; }

  void expect_miss_and_hit(const Arguments& argv) {
    EXPECT_EQ(check(argv).hits, 0);
    const Counts warm = check(argv);
    EXPECT_EQ(warm.hits, 1);
    EXPECT_EQ(warm.run.at("device") + warm.run.at("bundle") + warm.run.at("host") + warm.run.at("probe"), 0);
  }

  void expect_passed(const std::string& reason, const Arguments& argv) {
    const Counts counted = check(argv);
    EXPECT_EQ(counted.passed, 1);
    EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
  }

  // One arch is enough here and takes half the time.
  Arguments command(const std::string& flags, const std::string& object = "a.o") const {
    return GetParam().hip() + archs({"gfx906"}) + words("-O1 " + flags + " -c a.hip -o " + object);
  }

  // Links the objects with a main and the runtime, through hipcache. A link of relocatable device code that fails is
  // left to the compiler.
  Ended link(const std::string& objects, const std::string& flags = "") const {
    project_.write("main.c", kMain);
    project_.write("runtime.c", kRuntimeLibrary);
    for (const char* compile : {"cc -c main.c -o main.o", "cc -shared -fPIC runtime.c -o libruntime.so"})
      EXPECT_EQ(run(words(compile), project_.path()).exit_code, 0) << compile;
    const Counts before = cache_.counts();
    const Arguments argv = Arguments{GetParam().program(), "-B" + GetParam().tools()} + archs({"gfx906"}) +
                           words("--hip-link -no-hip-rt --rocm-path=/usr main.o " + objects + " " + flags) +
                           words("-L. -lruntime -Wl,-rpath,. -o program");
    const Ended ended = cache_.run(argv, project_.path());
    EXPECT_EQ((cache_.counts() - before).passed, flags == "-fgpu-rdc" && ended.exit_code != 0 ? 1 : 0);
    return ended;
  }

  // What the program prints about its kernels.
  Lines linked_and_run(const std::string& objects, const std::string& flags = "") const {
    const Ended linked = link(objects, flags);
    EXPECT_EQ(linked.exit_code, 0) << linked.err;
    const Ended ended = run({"./program"}, project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return lines_of(ended.out);
  }

  // The symbols that would collide in one program; clang 15 has none without -fgpu-rdc.
  Lines ids_in(const std::string& object) const {
    Lines ids;
    for (const std::string& line : lines_of(run({GetParam().tools() + "/llvm-nm", object}, project_.path()).out))
      if (const auto at = line.find("__hip_cuid_"); at != std::string::npos) ids.insert(line.substr(at));
    return ids;
  }

  static Lines lines_of(const std::string& text) {
    std::istringstream in(text);
    Lines lines;
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
  }
};

const std::string kKernel = "_ZN12_GLOBAL__N_16kernelEPf";
const Lines kTwoFatbins{"fatbin 1 has " + kKernel + " in 1 code objects", "launched " + kKernel + " of fatbin 1",
                        "fatbin 2 has " + kKernel + " in 1 code objects", "launched " + kKernel + " of fatbin 2"};

TEST_P(Linking, TwoOutputsOfOneSourceMakeOneProgramWithBothKernels) {
  expect_miss_and_hit(command("", "a.o"));
  EXPECT_EQ(check(command("", "b.o")).run.at("host"), clang15() ? 0 : 1);
  EXPECT_EQ(check(command("", "b.o")).hits, 1);
  EXPECT_EQ(linked_and_run("a.o b.o"), kTwoFatbins);
  if (clang15()) return;
  EXPECT_EQ(ids_in("a.o").size(), 1u);
  EXPECT_NE(ids_in("a.o"), ids_in("b.o"));
}

TEST_P(Linking, TwoOutputsOfOneSourceInRdcMakeOneProgramWithBothKernels) {
  for (const char* object : {"a.o", "b.o"}) expect_miss_and_hit(command("-fgpu-rdc", object));
  const Lines told = linked_and_run("a.o b.o", "-fgpu-rdc");
  EXPECT_EQ(told.size(), 4u);
  const std::set<std::string> distinct(told.begin(), told.end());
  EXPECT_EQ(distinct.size(), 4u) << "two kernels have become one";
  for (const std::string& line : told)
    EXPECT_TRUE(line.starts_with("launched") || line.ends_with(" in 1 code objects")) << line;
}

// What the two tests above would see without distinct ids.
TEST_P(Linking, OneIdForTwoObjectsBreaksTheProgram) {
  for (const char* object : {"a.o", "b.o"}) check(command("-cuid=mine", object));
  EXPECT_EQ(link("a.o b.o").exit_code == 0, clang15());
  for (const char* object : {"a.o", "b.o"}) check(command("-fgpu-rdc -cuid=mine", object));
  if (!clang15()) {
    EXPECT_NE(link("a.o b.o", "-fgpu-rdc").exit_code, 0);
    return;
  }
  const Lines told = linked_and_run("a.o b.o", "-fgpu-rdc");
  EXPECT_EQ(std::set<std::string>(told.begin(), told.end()).size(), 2u);
}

TEST_P(Linking, EqualRequestsInTwoCheckoutsHaveEqualIdsAndOtherOutputsHaveOthers) {
  const auto compile_in = [this](const std::string& checkout, const std::string& object) {
    project_.write(checkout + "/src/a.hip", kSource);
    project_.write(checkout + "/src/runtime.h", support::read_bytes(project_ / "runtime.h"));
    const std::string directory = project_.make_directory(checkout + "/build");
    const Arguments argv = GetParam().hip() + archs({"gfx906"}) +
                           Arguments{"-I" + (project_ / (checkout + "/src")), "-c", "../src/a.hip", "-o", object};
    const Variables variables{{"HIPCACHE_BASEDIR", project_ / checkout}};
    Oracle oracle(cache_, directory);
    oracle.check(argv, variables);
    EXPECT_EQ(oracle.exit_code(), 0);
    return ids_in(checkout + "/build/" + object);
  };
  const Lines one = compile_in("one", "a.o");
  EXPECT_EQ(one.size(), clang15() ? 0u : 1u);
  EXPECT_EQ(compile_in("two", "a.o"), one);
  if (clang15()) return;
  EXPECT_NE(compile_in("two", "b.o"), one);
  project_.make_directory("two/build/sub");
  EXPECT_NE(compile_in("two", "sub/a.o"), one);
}

TEST_P(Linking, TheUsersOwnIdIsTheOne) {
  for (const char* id : {"-cuid=mine", "-cuid=other"}) expect_miss_and_hit(command(id));
  check(command("-cuid=mine", "b.o"));
  EXPECT_EQ(cache_.plan(command("-cuid=mine"), project_.path()).at("cuid"), "");
  EXPECT_EQ(ids_in("a.o") == ids_in("b.o"), clang15());
}

TEST_P(Linking, NoIdWhereTheUserWantsNone) {
  expect_miss_and_hit(command("-fuse-cuid=none"));
  EXPECT_EQ(ids_in("a.o"), clang15() ? Lines{} : Lines{"__hip_cuid_"});
}

// The driver hashes its command line, which includes -###. So the plan has the id.
TEST_P(Linking, TheHashThatTheUserWantsIsTheDriversOwn) {
  for (const char* object : {"a.o", "b.o"}) {
    const Arguments argv = command("-fuse-cuid=hash", object);
    EXPECT_EQ(cache_.run(argv, project_.path()).exit_code, 0);
    const std::string printed = run(argv + Arguments{"-###"}, project_.path()).err;
    const std::size_t id = printed.find("-cuid=");
    ASSERT_NE(id, std::string::npos) << printed;
    const std::string expected = std::string("expected-") + object;
    const Arguments with_id{printed.substr(id, printed.find('"', id) - id), "-o", expected};
    EXPECT_EQ(run(argv + with_id, project_.path()).exit_code, 0);
    EXPECT_TRUE(support::read_bytes(project_ / object) == support::read_bytes(project_ / expected));
    fs::remove(project_ / object);
    EXPECT_EQ(cache_.run(argv, project_.path()).exit_code, 0);
    EXPECT_TRUE(support::read_bytes(project_ / object) == support::read_bytes(project_ / expected));
  }
  EXPECT_EQ(cache_.counts().hits, 2);
  EXPECT_EQ(linked_and_run("a.o b.o"), kTwoFatbins);
}

TEST_P(Linking, AnIdByChanceIsTheCompilersToDraw) {
  const Arguments argv = command("-fuse-cuid=random");
  for (int time = 0; time < 2; ++time) EXPECT_EQ(cache_.run(argv, project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.counts().reasons.at("random-cuid"), 2);
  const Lines first = ids_in("a.o");
  if (clang15()) return expect_passed("random-cuid", argv);
  EXPECT_EQ(cache_.run(argv, project_.path()).exit_code, 0);
  EXPECT_NE(ids_in("a.o"), first);
}

TEST_P(Linking, OneIdIsNeverGivenToSeveralSources) {
  project_.write("b.hip", kSource);
  const Arguments both = GetParam().hip() + archs({"gfx906"}) + words("-O1 -c a.hip b.hip");
  expect_opaque(both);
  EXPECT_EQ(linked_and_run("a.o b.o"), kTwoFatbins);
  expect_opaque(both + Arguments{"-cuid=mine"});
}

TEST_P(Linking, TheHostsSideAloneIsCachedThoughTheCompilerMayIgnoreAnId) {
  expect_miss_and_hit(command("--offload-host-only"));
  EXPECT_EQ(check(command("--offload-host-only -cuid=mine", "b.o")).passed, 0);
  expect_miss_and_hit(command("--offload-device-only", "device.o"));
}

// The new driver uses no id there. Other objects supply the fatbin's symbols, under the compiler's names.
TEST_P(Linking, TheHostsSideAloneHasTheCompilersNamesForTheFatbin) {
  for (const char* driver : {"--offload-new-driver", "--no-offload-new-driver"}) {
    const Arguments argv = command(std::string("--offload-host-only ") + driver);
    EXPECT_EQ(run(argv, project_.path()).exit_code, 0);
    const std::string alone = support::read_bytes(project_ / "a.o");
    for (int time = 0; time < 2; ++time) {
      fs::remove(project_ / "a.o");
      const Ended ended = cache_.run(argv, project_.path());
      EXPECT_EQ(ended.exit_code, 0);
      EXPECT_EQ(ended.err, "");
      EXPECT_TRUE(support::read_bytes(project_ / "a.o") == alone) << driver;
    }
    EXPECT_EQ(cache_.plan(argv, project_.path()).value("cuid", ""), "");
    expect_miss_and_hit(command(std::string("--offload-host-only -fno-builtin ") + driver));
  }
  EXPECT_EQ(cache_.counts().passed, 0);
}

TEST_P(Linking, RdcWithoutAnIdIsLeftToTheCompilerWhichTakesTheSourcesPlaceOnDisk) {
  expect_passed("random-cuid", command("-fgpu-rdc -fuse-cuid=none"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Linking, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
