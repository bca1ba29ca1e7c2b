// Wrapper headers that are parsed once (HIPCACHE_PREAMBLE): what a front end makes with one is what the compiler makes
// without, and a result is refuted by whatever would refute the header. Forced on, unless a test says otherwise: then
// the first job of each key makes it, and every job uses it.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const Variables kAlways{{"HIPCACHE_PREAMBLE", "always"}};

// What a kernel needs beside the wrapper, and code of both sides that uses what the wrapper defines.
constexpr const char* kBeginning = R"(struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, struct ihipStream_t*);
struct Base {
  __host__ __device__ virtual int value(int) const = 0;
  __host__ __device__ virtual ~Base() {}
};
struct Derived : Base {
  __host__ __device__ int value(int x) const override { return x + 1; }
};
__device__ int variable = 3;
static __device__ int hidden = 4;
const void* address() { return &hidden; }
__global__ void kernel(float* x, int* n) {
  Derived one;
  const Base& base = one;
  x[0] = std::sin(x[1]) + powf(x[2], 2) + static_cast<float>(base.value(*n)) + static_cast<float>(variable);
  int* made = new int(*n);
  *n = std::max(*made, 7);
  delete made;
}
)";

class WrapperHeader : public SingleCompile {
 protected:
  explicit WrapperHeader(Variables settings = kAlways) : SingleCompile(settings) { write(""); }

  void write(const std::string& more, const std::string& name = "a.hip") {
    project_.write(name, kBeginning + more + "float host(float x) { return std::fma(x, x, std::sqrt(x)); }\n");
  }

  // The driver of clang 15 includes the wrapper only for a version of HIP that it knows.
  Arguments compile(const std::string& flags = "-O1", const std::string& name = "a") const {
    Arguments all{GetParam().program()};
    return all +
           words("-x hip -std=c++17 --hip-version=5.2.3 -B" + GetParam().tools() +
                 " --rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode "
                 "--offload-arch=gfx906 " +
                 flags + " -c") +
           Arguments{name + ".hip", "-o", name + ".o"};
  }

  struct Used {
    std::int64_t made = 0, used = 0, again = 0, audited = 0, differences = 0;
    Counts counts;
  };

  Used now() const {
    Used all{.counts = cache_.counts()};
    const nlohmann::json& headers = all.counts.json.at("wrapper_headers");
    all.made = headers.at("made"), all.used = headers.at("used"), all.again = headers.at("again");
    all.audited = headers.at("audited"), all.differences = headers.at("differences");
    return all;
  }

  // Compiles, checked against the compiler.
  Used checked(const Arguments& argv, int exit_code = 0) {
    const Used before = now();
    oracle_.check(argv);
    EXPECT_EQ(oracle_.exit_code(), exit_code);
    Used after = now();
    after.made -= before.made, after.used -= before.used, after.again -= before.again;
    after.audited -= before.audited, after.differences -= before.differences;
    after.counts = after.counts - before.counts;
    return after;
  }

  // The device and the host use a header, and the compile is a hit afterwards.
  void expect_used(const std::string& flags) {
    SCOPED_TRACE(flags);
    const Used cold = checked(compile(flags));
    EXPECT_EQ(cold.used, cold.counts.run.at("device") + cold.counts.run.at("host"))
        << cold.counts.json.at("without_wrapper_header_detail").dump();
    EXPECT_GE(cold.used, 1);
    EXPECT_EQ(cold.again, 0);
    EXPECT_EQ(checked(compile(flags)).counts.hits, 1);
  }

  void expect_not_used(const std::string& flags) {
    SCOPED_TRACE(flags);
    const Used cold = checked(compile(flags));
    EXPECT_EQ(cold.used + cold.made + cold.again, 0);
  }

  // The compiler's own headers, to be changed.
  std::string copy_resources() {
    const std::string directory = project_.make_directory("resources");
    const std::string version = GetParam().version == "15" ? "15.0.6" : GetParam().version;
    fs::copy("/usr/lib/llvm-" + GetParam().version + "/lib/clang/" + version + "/include", directory + "/include",
             fs::copy_options::recursive);
    return directory;
  }
  void append(const std::string& name, const std::string& text) const {
    project_.write(name, support::read_bytes(project_ / name) + text);
  }
};

TEST_P(WrapperHeader, ChangesNothingOfWhatTheCompilerMakes) {
  for (const char* flags : {"-O0", "-O3", "-O2 -fgpu-rdc", "-O1 -gline-tables-only -DX=1 -fno-exceptions",
                            "-O2 --offload-device-only", "-O2 -ffast-math --offload-host-only"})
    expect_used(flags);
}

TEST_P(WrapperHeader, ChangesNoDepfile) {
  project_.make_directory("a");
  for (const char* flags : {"-O1 -MD", "-O1 -MMD", "-O1 -MD -MP", "-O1 -MD -MF a/b.d -MT target"}) {
    expect_used(flags);
    for (const char* depfile : {"a.d", "a/b.d"}) fs::remove(project_ / depfile);
  }
}

TEST_P(WrapperHeader, IsMadeOnceForAllSourcesWithTheSameOptions) {
  EXPECT_EQ(checked(compile()).made, 2);
  write("int more;\n", "b.hip");
  const Used other = checked(compile("-O1", "b"));
  EXPECT_EQ(other.made, 0);
  EXPECT_EQ(other.used, 2);
  const Ended told = cache_.run({"--report", "-", "--format", "json"}, project_.path());
  EXPECT_EQ(nlohmann::json::parse(told.out).at("wrapper_headers").at("used"), 4);
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  write("int yet_more;\n", "c.hip");
  const Used later = checked(compile("-O1", "c"));
  EXPECT_EQ(later.made, 0) << "the next daemon finds it";
  EXPECT_EQ(later.used, 2);
  EXPECT_EQ(checked(compile("-O1 -DOTHER=3 -UANOTHER", "c")).made, 0);
  EXPECT_EQ(checked(compile("-O1 -D__OTHER", "c")).made, 2);
}

// A macro of the command is defined before the text, so one that the text may see is not left out of it.
TEST_P(WrapperHeader, IsNotUsedIfTheTextMaySeeAMacroOfTheCommand) {
  const std::string flags = "-O1 -resource-dir " + copy_resources();
  append("resources/include/__clang_hip_runtime_wrapper.h", "#ifdef SEEN\n#define FOUND 1\n#endif\n");
  const std::string shows = "#ifdef FOUND\n__device__ int found = SEEN;\nint found_too = SEEN;\n#endif\n";
  write(shows);
  expect_used(flags);
  EXPECT_EQ(checked(compile(flags + " -DSEEN=2")).used, 0);
  EXPECT_EQ(checked(compile(flags + " -USEEN")).used, 0);
  write(shows + "int more;\n");
  EXPECT_EQ(checked(compile(flags + " -DUNSEEN")).used, 2);
}

TEST_P(WrapperHeader, LeavesACommentFree) {
  checked(compile());
  write("// a comment\n");
  EXPECT_EQ(checked(compile()).counts.hits, 1);
}

TEST_P(WrapperHeader, AWarningOfTheSourceCostsNoSecondCompile) {
  write("[[nodiscard]] int kept();\nvoid drops() { kept(); }\n");
  const Used warned = checked(compile());
  EXPECT_EQ(warned.used, 2);
  EXPECT_EQ(warned.again, 0);
}

TEST_P(WrapperHeader, AMessageThatWasNotJudgedIsTheCompilersOwn) {
  write("__host__ __device__ int odd(int x) { if (x = 3) return 1; return 2; }\n");
  const Used first = checked(compile());
  EXPECT_EQ(first.again, 2);
  EXPECT_EQ(first.used, 0);
}

TEST_P(WrapperHeader, AnErrorIsTheCompilersOwn) {
  write("int wrong = \"\";\nfloat unknown() { return std::no_such_function(1.0f); }\n");
  const Used wrong = checked(compile(), 1);
  EXPECT_EQ(wrong.used, 0);
  EXPECT_GE(wrong.again, 1);
}

TEST_P(WrapperHeader, IsNotUsedWithOptionsThatNobodyJudged) {
  project_.write("first.h", "#define FIRST 1\n");
  for (const char* flags : {"-O1 -g", "-O1 -include first.h", "-O1 -fno-builtin"}) expect_not_used(flags);
}

TEST_P(WrapperHeader, EachFileThatItReadsRefutesTheResult) {
  const std::string flags = "-O1 -resource-dir " + copy_resources();
  write("#ifndef ADDED\n#define ADDED 1\n#endif\n__device__ int added = ADDED;\nint added_too = ADDED;\n");
  expect_used(flags);
  int value = 1;
  for (const char* name : {"__clang_hip_runtime_wrapper.h", "__clang_hip_math.h", "cuda_wrappers/complex"}) {
    SCOPED_TRACE(name);
    const std::string path = "resources/include/" + std::string(name);
    const std::string text = support::read_bytes(project_ / path);
    append(path, "#undef ADDED\n#define ADDED " + std::to_string(++value) + "\n");
    const Used changed = checked(compile(flags));
    EXPECT_EQ(changed.counts.run.at("device"), 1);
    EXPECT_EQ(changed.counts.run.at("host"), 1);
    EXPECT_EQ(changed.used, 2);
    EXPECT_EQ(changed.made, 2);
    project_.write(path, text);
    EXPECT_EQ(checked(compile(flags)).counts.hits, 1);
  }
}

// Each target of a project has other search directories.
TEST_P(WrapperHeader, ServesAllSearchDirectoriesThatHideNothingOfIt) {
  for (const char* directory : {"one", "two/bits", "three/debug"}) project_.make_directory(directory);
  project_.write("one/own.h", "#include <string>\n#include <complex>\n");
  write("#include \"own.h\"\n#include <vector>\n");
  EXPECT_EQ(checked(compile("-O1 -Ione")).made, 2);
  for (const char* flags : {"-O1 -Ione -Itwo -DX", "-O1 -Ithree -iquote two -iquote one", "-O1 -Inone -Ione -I."}) {
    SCOPED_TRACE(flags);
    const Used other = checked(compile(flags));
    EXPECT_EQ(other.made, 0);
    EXPECT_EQ(other.used, 2);
  }
  EXPECT_EQ(checked(compile("-O1 -Ione -isystem two")).made, 2);
}

TEST_P(WrapperHeader, AFileThatAppearsEarlierInTheSearchIsRead) {
  for (const char* directory : {"early", "late", "quoted"}) project_.make_directory(directory);
  const std::string flags = "-O1 -Iearly -Ilate -Inone -iquote quoted";
  write("#ifdef EARLY\n__device__ int early = EARLY;\nint early_too = EARLY;\n#endif\n");
  expect_used(flags);
  const auto expect_read = [&](const std::string& name, const std::string& included) {
    SCOPED_TRACE(name);
    project_.write(name, "#define EARLY 1\n#include_next <" + included + ">\n");
    EXPECT_EQ(checked(compile(flags)).counts.run.at("device"), 1);
    fs::remove(project_ / name);
    for (const char* directory : {"early/bits", "none"}) fs::remove(project_ / directory);
    EXPECT_EQ(checked(compile(flags)).counts.hits, 1);
  };
  expect_read("early/cmath", "cmath");
  expect_read("late/__clang_hip_math.h", "__clang_hip_math.h");
  expect_read("early/bits/stl_pair.h", "bits/stl_pair.h");
  expect_read("none/stdlib.h", "stdlib.h");
  expect_read("quoted/cmath", "cmath");
  expect_read("__clang_hip_runtime_wrapper.h", "__clang_hip_runtime_wrapper.h");
}

// A project whose header files have the names of the library's.
TEST_P(WrapperHeader, IsNotUsedWhereADirectoryHasANameOfIt) {
  project_.write("early/cmath", "#define EARLY 1\n#include_next <cmath>\n");
  write("#ifdef EARLY\n__device__ int early = EARLY;\nint early_too = EARLY;\n#endif\n");
  const Used hidden = checked(compile("-O1 -Iearly"));
  EXPECT_EQ(hidden.used, 0);
  EXPECT_EQ(hidden.counts.run.at("device"), 1);
  fs::remove(project_ / "early/cmath");
  EXPECT_EQ(checked(compile("-O1 -Iearly")).used, 2);
  project_.write("early/cmath", "#define EARLY 2\n#include_next <cmath>\n");
  EXPECT_EQ(checked(compile("-O1 -Iearly")).used, 0);
}

TEST_P(WrapperHeader, ServesAnotherProject) {
  project_.make_directory("include");
  EXPECT_EQ(checked(compile("-O1 -Iinclude")).made, 2);
  const support::Scratch other;
  fs::copy(project_.path(), other.path(), fs::copy_options::recursive);
  other.write("a.hip", support::read_bytes(project_ / "a.hip") + "int more;\n");
  Oracle oracle(cache_, other.path());
  const Used before = now();
  oracle.check(compile("-O1 -Iinclude"));
  const bool names_directory = GetParam().version == "15";  // it writes the working directory into a header
  EXPECT_EQ(now().made - before.made, names_directory ? 2 : 0);
  EXPECT_EQ(now().used - before.used, 2);
}

// A copy of the compiler, of which a byte behind its end is another.
TEST_P(WrapperHeader, AnotherCompilerRefutesTheResult) {
  fs::create_directories(project_ / "llvm/bin");
  fs::create_directories(project_ / "llvm/lib");
  const std::string tools = GetParam().tools();
  fs::copy(tools + "/clang", project_ / "llvm/bin/clang");
  fs::create_directory_symlink(tools + "/../lib/clang", project_ / "llvm/lib/clang");
  for (const char* library : {"libLLVM-15.so.1", "libLLVM.so.19.1", "libclang-cpp.so.15", "libclang-cpp.so.19.1"})
    if (fs::exists(tools + "/../lib/" + library))
      fs::create_symlink(tools + "/../lib/" + library, project_ / (std::string("llvm/lib/") + library));
  fs::create_symlink("clang", project_ / "llvm/bin/clang++");
  Arguments argv = compile();
  argv.front() = project_ / "llvm/bin/clang++";
  EXPECT_EQ(checked(argv).made, 2);
  write("int more;\n");
  EXPECT_EQ(checked(argv).made, 0);
  append("llvm/bin/clang", "x");
  fs::permissions(project_ / "llvm/bin/clang", fs::perms::owner_all);
  const Used other = checked(argv);
  EXPECT_EQ(other.made, 2);
  EXPECT_EQ(other.used, 2);
}

TEST_P(WrapperHeader, AnAuditComparesWithThePlainCompiler) {
  Cache audited({{"HIPCACHE_PREAMBLE", "always"}, {"HIPCACHE_AUDIT", "1"}, {"HIPCACHE_JOBS", "8"}});
  Oracle oracle(audited, project_.path());
  oracle.check(compile());
  const nlohmann::json counts = audited.counts().json;
  EXPECT_EQ(counts.at("wrapper_headers").at("audited"), 2);
  EXPECT_EQ(counts.at("wrapper_headers").at("differences"), 0);
  EXPECT_EQ(counts.at("errors"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, WrapperHeader, testing::ValuesIn(kCompilers), name_of);

// As users have it.
class UnforcedWrapperHeader : public WrapperHeader {
 protected:
  UnforcedWrapperHeader() : WrapperHeader({{"HIPCACHE_PREAMBLE", "auto"}}) {}

  Used compile_unit(const std::string& name) {
    write("int unit_" + name + ";\n", name + ".hip");
    return checked(compile("-O1", name));
  }

  // Waits for as many. On a machine that others keep busy, the lowest priority takes long.
  std::int64_t made_in_idle_time(std::int64_t count) const {
    const auto until = std::chrono::steady_clock::now() + 300s;
    while (now().made < count && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(250ms);
    return now().made;
  }

  // Whether a process of a client works in the project's directory.
  bool is_anybody_left() const {
    std::error_code gone;
    for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
      const std::string directory = process.path() / "cwd";
      if (fs::read_symlink(directory, gone) == project_.path() && process.path().filename() != "self" &&
          process.path().filename() != "thread-self" && process.path().filename() != std::to_string(getpid()))
        return true;
    }
    return false;
  }
};

TEST_P(UnforcedWrapperHeader, IsMadeInIdleTimeAfterTheThirdUnit) {
  for (const char* name : {"one", "two", "three"}) {
    const Used plain = compile_unit(name);
    EXPECT_EQ(plain.made + plain.used, 0) << name;
  }
  EXPECT_EQ(made_in_idle_time(2), 2);
  const Used fourth = compile_unit("four");
  EXPECT_EQ(fourth.used, 2);
  EXPECT_EQ(fourth.made, 0);
  EXPECT_FALSE(is_anybody_left()) << "the process that made them has ended";
}

// A build of CMake and ninja that has so many units before it that the header pays at once, however many slots there
// are here.
class WrapperHeaderOfManyUnits : public UnforcedWrapperHeader {};

TEST_P(WrapperHeaderOfManyUnits, IsMadeByTheFirstOfThem) {
  constexpr int kMany = 1'000;
  std::string build = "build CMakeFiles/x.dir/one.hip.o: HIP_COMPILER__x one.hip\n";
  for (int unit = 1; unit < kMany; ++unit)
    build += "build CMakeFiles/x.dir/" + std::to_string(unit) + ".hip.o: HIP_COMPILER__x\n";
  project_.write("build.ninja", build);
  fs::create_directories(project_ / "CMakeFiles/x.dir");
  const auto compile_object = [&](const std::string& name) {
    write("int unit_" + name + ";\n", name + ".hip");
    Arguments argv = compile("-O1", name);
    argv.back() = "CMakeFiles/x.dir/" + name + ".hip.o";
    return checked(argv);
  };
  const Used first = compile_object("one");
  EXPECT_EQ(first.made, 2);
  EXPECT_EQ(first.used, 2);
  EXPECT_EQ(cache_.control("--clear").exit_code, 0);
  cache_.end_daemon(SIGTERM);
  const Used other = compile_object("absent");
  EXPECT_EQ(other.made + other.used, 0) << "the build has begun, and does not name that one";
}

TEST_P(UnforcedWrapperHeader, TwoUnitsMakeNone) {
  for (const char* name : {"one", "two"}) compile_unit(name);
  EXPECT_FALSE(is_anybody_left());
  std::this_thread::sleep_for(4s);
  EXPECT_EQ(now().made, 0);
}

TEST_P(UnforcedWrapperHeader, WhoWaitsForIdleTimeEndsWithTheDaemon) {
  for (const char* name : {"one", "two", "three"}) compile_unit(name);
  ASSERT_TRUE(is_anybody_left());
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  for (int tenths = 0; tenths < 50 && is_anybody_left(); ++tenths) std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(is_anybody_left());
  EXPECT_EQ(now().made, 0);
}

TEST_P(UnforcedWrapperHeader, IsNotMadeByThoseWhoOnlyRead) {
  for (const char* name : {"one", "two", "three", "four"}) {
    write("int unit;\n", std::string(name) + ".hip");
    const Ended ended = cache_.run(compile("-O1", name), project_.path(), {{"HIPCACHE_READONLY", "1"}});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
  EXPECT_FALSE(is_anybody_left());
}

TEST_P(UnforcedWrapperHeader, AUnitThatPrintsIsRemembered) {
  for (const char* name : {"one", "two", "three"}) compile_unit(name);
  ASSERT_EQ(made_in_idle_time(2), 2);
  const std::string odd = "__host__ __device__ int odd(int x) { if (x = 3) return 1; return 2; }\n";
  write(odd);
  EXPECT_EQ(checked(compile()).again, 2);
  write(odd + "__host__ __device__ int more() { return 1; }\n");
  const Used second = checked(compile());
  EXPECT_EQ(second.again + second.used, 0);
  write("__host__ __device__ int more() { return 2; }\n");
  EXPECT_EQ(checked(compile()).again, 0) << "it prints nothing, and is compiled plainly for the last time";
  write("__host__ __device__ int more() { return 3; }\n");
  EXPECT_EQ(checked(compile()).used, 2);
}

TEST_P(UnforcedWrapperHeader, ExplainSaysWhyAJobReadsTheTextItself) {
  const auto explained = [&](const std::string& flags) {
    return cache_.run(Arguments{"--explain"} + compile(flags), project_.path()).out;
  };
  EXPECT_NE(explained("-O1 -g").find("reads the wrapper header itself: -debug-info-kind=constructor was not judged"),
            std::string::npos);
  EXPECT_EQ(explained("-O1").find("reads the wrapper header itself"), std::string::npos);
  EXPECT_NE(explained("-O1 -resource-dir " + copy_resources()).find("the version of its compiler was not tried"),
            std::string::npos);
}

TEST_P(UnforcedWrapperHeader, IsSwitchedOffByASetting) {
  for (const char* name : {"one", "two", "three", "four"}) {
    write("int unit;\n", std::string(name) + ".hip");
    const Ended ended = cache_.run(compile("-O1", name), project_.path(), {{"HIPCACHE_PREAMBLE", "0"}});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
  EXPECT_EQ(now().made + now().used, 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, UnforcedWrapperHeader, testing::ValuesIn(kOneCompiler), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, WrapperHeaderOfManyUnits, testing::ValuesIn(kCompilers), name_of);

// A fake compiler (compilers/other_compiler.cpp) that makes something else with a header than without, as no clang
// does.
class WrapperHeaderOfAnotherCompiler : public testing::Test {
 protected:
  WrapperHeaderOfAnotherCompiler() { fs::copy(OTHER_COMPILER, compiler_); }

  void write(const std::string& text) { project_.write("a.hip", text + "\n"); }
  Arguments command() const {
    return {compiler_, "-x", "hip", "--offload-arch=gfx906", "-O0", "-DWRAPPED", "--offload-device-only", "-c",
            "a.hip",   "-o", "a.o"};
  }
  Counts check(const char* audit) { return oracle_.check(command(), {{"HIPCACHE_AUDIT", audit}}); }
  // What the cache gives, right or wrong.
  std::string object_of(const std::string& text) {
    write(text);
    const Ended ended = cache_.run(command(), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return support::read_bytes(project_ / "a.o");
  }
  nlohmann::json headers() const { return cache_.counts().json.at("wrapper_headers"); }

  support::Scratch compilers_;
  const std::string compiler_ = compilers_ / "clang++";
  support::Scratch project_;
  Cache cache_{{{"HIPCACHE_PREAMBLE", "always"}, {"HIPCACHE_JOBS", "8"}}};
  Oracle oracle_{cache_, project_.path()};
};

TEST_F(WrapperHeaderOfAnotherCompiler, IsRefutedForGoodWithAllThatItMade) {
  const std::string early = "early differs-with-header";
  const std::string wrong = object_of(early);
  EXPECT_EQ(headers().at("used"), 1);
  EXPECT_EQ(object_of(early), wrong) << "nobody knows yet";

  write("late differs-with-header");
  EXPECT_EQ(check("1").errors, 1);
  EXPECT_EQ(headers().at("audited"), 1);
  EXPECT_EQ(headers().at("differences"), 1);

  write(early);
  EXPECT_EQ(check("0").hits, 0) << "what the header made is not served any more";
  EXPECT_EQ(headers().at("used"), 1) << "nor is the header used";
  EXPECT_EQ(check("0").hits, 1);
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  write("another daemon");
  EXPECT_EQ(check("0").errors, 0);
  EXPECT_EQ(headers().at("used"), 1);
}

TEST_F(WrapperHeaderOfAnotherCompiler, IsNotRefutedByACompilerThatDiffersFromItself) {
  write("code differs-each-time");
  EXPECT_EQ(cache_.run(command(), project_.path(), {{"HIPCACHE_AUDIT", "1"}}).exit_code, 0);
  EXPECT_EQ(headers().at("audited"), 1);
  EXPECT_EQ(headers().at("differences"), 0);
  EXPECT_EQ(cache_.counts().errors, 0);
}

TEST_F(WrapperHeaderOfAnotherCompiler, IsNotUsedAgainIfAJobFailsWithItAlone) {
  write("code fails-with-header");
  EXPECT_EQ(check("0").failed, 0);
  EXPECT_EQ(headers().at("again"), 1);
  write("code");
  check("0");
  EXPECT_EQ(headers().at("used"), 0);
}

TEST_F(WrapperHeaderOfAnotherCompiler, IsTrustedWhereNothingDiffers) {
  write("code");
  EXPECT_EQ(check("1").errors, 0);
  EXPECT_EQ(headers().at("audited"), 1);
  EXPECT_EQ(headers().at("differences"), 0);
  write("code, more of it");
  check("0");
  EXPECT_EQ(headers().at("used"), 1);
}

}  // namespace
}  // namespace hipcache::integration
