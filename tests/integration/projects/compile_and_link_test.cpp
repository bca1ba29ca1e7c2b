// A source that is compiled and linked by one command: the steps of its compile, and one for the linker.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLinkedAtOnce = R"(
#include "runtime.h"
#include "part.h"
__global__ void kernel(float* data) { data[0] *= FACTOR; }
int launch(float* data) { kernel<<<1, 64>>>(data); return HOST; }
int main() { return launch(nullptr) - part(); }
)";

// How many steps ran.
struct StepsRun {
  std::int64_t device = 0, host = 0, link = 0;
  bool operator==(const StepsRun&) const = default;
};

void PrintTo(const StepsRun& steps, std::ostream* out) {
  *out << steps.device << " devices, " << steps.host << " hosts, " << steps.link << " links";
}

class CompileAndLink : public SingleCompile {
 protected:
  CompileAndLink() {
    project_.write("a.hip", kLinkedAtOnce);
    project_.write("part.h", "int part();\n");
    write_part(1);
  }

  void write_part(int value, const std::string& directory = ".") const {
    project_.make_directory(directory);
    project_.write("part.cpp", "int part() { return " + std::to_string(value) + "; }\n");
    EXPECT_EQ(run(words("g++ -fPIC -c part.cpp -o part.o"), project_.path()).exit_code, 0);
    EXPECT_EQ(run(words("ar rcsD " + directory + "/libpart.a part.o"), project_.path()).exit_code, 0);
  }

  // clang 15's assembly does not mark the stack as non-executable, and the linker warns about that.
  Arguments program(const std::string& flags = "-DFACTOR=2 -DHOST=1 part.o",
                    const Arguments& targets = archs({"gfx906", "gfx1030"})) const {
    Arguments argv = GetParam().hip() + targets;
    const auto language = std::find(argv.begin(), argv.end(), "-x");
    if (language != argv.end()) argv.erase(language, language + 2);  // part.o is no source
    return argv + words("-O1 -no-hip-rt -Wl,-z,noexecstack -Wl,--unresolved-symbols=ignore-all a.hip -o app " + flags);
  }

  static StepsRun run_in(const Counts& counted) {
    return {counted.run.at("device"), counted.run.at("host"), counted.run.at("link")};
  }

  void expect_runs(const StepsRun& steps, const Arguments& argv) {
    const Counts counted = check(argv);
    EXPECT_EQ(run_in(counted), steps) << counted.json.dump();
    EXPECT_EQ(counted.passed, 0) << counted.json.at("not_cached");
  }

  void expect_hit(const Arguments& argv) {
    fs::remove(project_ / "app");
    const Counts counted = check(argv);
    EXPECT_EQ(counted.hits, 1) << counted.json.dump();
    EXPECT_EQ(run_in(counted), StepsRun{});
  }

  // The linker's messages have names that the driver chooses by chance.
  void expect_failure(const Arguments& argv) const {
    const auto less_chance = [](const std::string& text) {
      return std::regex_replace(text, std::regex("/tmp/[^: \n]*"), "FILE");
    };
    const Ended alone = run(argv, project_.path());
    const Ended cached = cache_.run(argv, project_.path());
    EXPECT_EQ(cached.exit_code, 1);
    EXPECT_EQ(alone.exit_code, 1);
    EXPECT_EQ(less_chance(cached.err), less_chance(alone.err));
    EXPECT_FALSE(fs::exists(project_ / "app"));
  }
};

TEST_P(CompileAndLink, IsAHitAsLongAsNothingChanges) {
  expect_runs({.device = 2, .host = 1, .link = 1}, program());
  expect_hit(program());
  expect_hit(program("-DFACTOR=2 -DHOST=1 part.o", archs({"gfx1030,gfx906"})));
}

TEST_P(CompileAndLink, CompilesAnAddedArchAlone) {
  expect_runs({.device = 1, .host = 1, .link = 1}, program("-DFACTOR=2 -DHOST=1 part.o", archs({"gfx906"})));
  const Counts more = check(program());
  EXPECT_EQ(run_in(more), (StepsRun{.device = 1, .link = 1}));
  EXPECT_EQ(more.run.at("device gfx1030"), 1);
  expect_runs({.link = 1}, program("-DFACTOR=2 -DHOST=1 part.o", archs({"gfx1030"})));
}

TEST_P(CompileAndLink, OnlyLinksForWhatTheLinkerReads) {
  check(program());
  write_part(2);
  expect_runs({.link = 1}, program());
  expect_hit(program());
  expect_runs({.link = 1}, program("-DFACTOR=2 -DHOST=1 part.o -rdynamic -Wl,--build-id=md5"));
  write_part(3, "lib");
  // The driver looks for device code in it.
  expect_runs({.device = 2, .link = 1}, program("-DFACTOR=2 -DHOST=1 -Llib -lpart"));
  write_part(4, "lib");
  expect_runs({.link = 1}, program("-DFACTOR=2 -DHOST=1 -Llib -lpart"));
  expect_hit(program("-DFACTOR=2 -DHOST=1 -Llib -lpart"));
}

TEST_P(CompileAndLink, CompilesWhatAnEditChanges) {
  check(program());
  project_.write("part.h", "// where the part is\nint part();\n");
  expect_hit(program());
  project_.write("part.h", "int part(); inline int more() { return 1; }\n");
  EXPECT_EQ(run_in(check(program())).host, 1);
  expect_hit(program());
  project_.write("a.hip", std::string(kLinkedAtOnce) + "__device__ int variable = 5;\n");
  expect_runs({.device = 2, .host = 1, .link = 1}, program());
  project_.write("a.hip", kLinkedAtOnce);
  project_.write("part.h", "int part();\n");
  expect_hit(program());
}

TEST_P(CompileAndLink, CompilesNothingForAMacroThatNothingUses) {
  check(program("-DFACTOR=2 -DHOST=1 part.o -DREVISION=\"one\" -Xarch_host -DBUILD=1"));
  expect_hit(program("-DFACTOR=2 -DHOST=1 part.o -DREVISION=\"two\" -Xarch_host -DBUILD=1"));
  EXPECT_EQ(run_in(check(program("-DFACTOR=3 -DHOST=1 part.o -DREVISION=\"two\""))).device, 2);
}

// The host's object needs no fatbin.
TEST_P(CompileAndLink, LinksASourceWithoutCodeForDevices) {
  project_.write("a.hip", "#include \"part.h\"\nint main() { return part(); }\n");
  EXPECT_EQ(run_in(check(program())), (StepsRun{.device = 2, .host = 1, .link = 1}));
  expect_hit(program());
}

TEST_P(CompileAndLink, WritesTheDepfileOfTheSource) {
  const Arguments argv = program("-DFACTOR=2 -DHOST=1 part.o -MD");
  expect_runs({.device = 2, .host = 1, .link = 1}, argv);
  EXPECT_TRUE(fs::exists(project_ / "app.d"));
  fs::remove(project_ / "app.d");
  expect_hit(argv);
  expect_hit(program("-DFACTOR=2 -DHOST=1 part.o -MD -MF other.d"));
}

TEST_P(CompileAndLink, IsTheSameAsTwoCommandsForTheDevices) {
  const Arguments argv = program();
  check(argv);
  Arguments compiled(argv.begin(), argv.end() - 1);  // without part.o
  ASSERT_EQ(compiled.back(), "-DHOST=1");
  std::replace(compiled.begin(), compiled.end(), std::string("app"), std::string("a.o"));
  EXPECT_EQ(run_in(check(compiled + Arguments{"-c"})).link, 0);
}

TEST_P(CompileAndLink, EndsAsTheDriverDoes) {
  expect_failure(program("-DFACTOR=2 -DHOST=1 part.o -lmissing"));
  expect_failure(program("-DFACTOR=2 part.o"));
  project_.write("a.hip", std::string(kLinkedAtOnce) + "__device__ int wrong = unknown;\n");
  expect_failure(program());
}

// A program by its default name, and a library.
TEST_P(CompileAndLink, TakesOtherFormsOfTheCommand) {
  Arguments unnamed = program();
  unnamed.erase(std::find(unnamed.begin(), unnamed.end(), "-o"), std::find(unnamed.begin(), unnamed.end(), "app") + 1);
  expect_runs({.device = 2, .host = 1, .link = 1}, unnamed);
  EXPECT_TRUE(fs::exists(project_ / "a.out"));
  fs::remove(project_ / "a.out");
  EXPECT_EQ(check(unnamed).hits, 1);
  expect_runs({.device = 2, .host = 1, .link = 1}, program("-DFACTOR=2 -DHOST=1 part.o -shared -fPIC -g"));
  expect_hit(program("-DFACTOR=2 -DHOST=1 part.o -shared -fPIC -g"));
}

TEST_P(CompileAndLink, IsSplitByTheNewDriver) {
  const std::string flags = "-DFACTOR=2 -DHOST=1 part.o --offload-new-driver";
  expect_runs({.device = 2, .host = 1, .link = 1}, program(flags));
  expect_hit(program(flags));
  EXPECT_EQ(check(program(flags, archs({"gfx906", "gfx1030", "gfx90a"}))).run.at("device"), 1);
}

// Code for the linker to compile and relocatable code are one step.
TEST_P(CompileAndLink, IsOneStepWhereTheLinkerGoesOnWithTheCode) {
  for (const char* flags : {"part.o -fgpu-rdc", "part.o -flto -fuse-ld=lld"}) {
    const Arguments argv = program("-DFACTOR=2 -DHOST=1 " + std::string(flags));
    const Ended ended = cache_.run(argv, project_.path());
    EXPECT_EQ(cache_.counts().run.at("device"), 0) << flags << ended.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, CompileAndLink, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
