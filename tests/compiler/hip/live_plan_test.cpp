// The oracle: the plan's commands, run one by one in a directory of their own, write byte for byte what the driver
// writes with the same -cuid=; with every compiler that is installed.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <variant>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/compiler/hip/fatbin_splice.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"
#include "support/scratch.h"

namespace hipcache::hip {
namespace {

constexpr const char* kSource = R"(
#include <hip/hip_runtime.h>
#include "value.h"
static __device__ int table[4] = {VALUE, 2, 3, 4};
namespace { __global__ void hidden(float* p) { *p += table[1]; } }
__global__ void kernel(float* p, int i) { p[i] = sinf(p[i]) + table[i & 3]; }
#ifndef __HIP_DEVICE_COMPILE__
#warning host
#endif
const void* kernels[] = {(const void*)kernel, (const void*)hidden};
)";

struct Compiler {
  const char* name;
  const char* path;
  const char* tools;  // where it finds its lld
};

class LivePlan : public ::testing::TestWithParam<std::tuple<Compiler, const char*>> {
 protected:
  void SetUp() override {
    if (!std::string(compiler().path).starts_with("/"))
      GTEST_SKIP() << compiler().name << " is not installed: tools/setup does that";
    scratch.write("w/a.hip", kSource);
    scratch.write("w/value.h", "#define VALUE 17\n");
  }

  static const Compiler& compiler() { return std::get<0>(GetParam()); }

  std::vector<std::string> command_line(const std::string& archs) const {
    std::vector<std::string> argv = {
        compiler().path, compiler().tools,   "-x",
        "hip",           "--rocm-path=/usr", "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"};
    const std::string options = std::get<1>(GetParam()) + (" " + archs);
    for (std::size_t at = 0; at < options.size();) {
      const auto end = std::min(options.find(' ', at), options.size());
      if (end > at) argv.push_back(options.substr(at, end - at));
      at = end + 1;
    }
    argv.insert(argv.end(), {"-MD", "-MF", "a.d", "-c", "a.hip", "-o", "a.o"});
    return argv;
  }

  // Runs the command in w/ with TMPDIR t/; returns what it printed on standard error.
  std::string run(const std::string& program, std::vector<std::string> argv, bool may_fail = false) {
    const std::string printed = scratch / "printed";
    std::vector<std::string> shell = {
        "/bin/sh", "-c",          R"(cd "$1" && err="$2" && exe="$3" && shift 3 && exec "$exe" "$@" 2>"$err")",
        "sh",      scratch / "w", printed,
        program};
    shell.insert(shell.end(), argv.begin() + 1, argv.end());
    SpawnRequest request;
    request.program = "/bin/sh";
    request.argv = shell;
    request.environment = {"PATH=/usr/bin:/bin", "TMPDIR=" + scratch.make_directory("t")};
    const Result<pid_t> child = spawn(request);
    if (!child) {
      ADD_FAILURE() << child.error().message;
      return {};
    }
    const Result<ExitStatus> ended = wait_for(*child);
    const std::string text = support::read_bytes(printed);
    EXPECT_TRUE(ended && (ended->exit_code == 0 || may_fail)) << program << ": " << text;
    return text;
  }

  compiler::Invocation understood(const std::vector<std::string>& argv) const {
    const compiler::Parser parser;
    auto parsed = parser.parse(argv, scratch / "w");
    if (const auto* refusal = std::get_if<compiler::Uncacheable>(&parsed)) {
      ADD_FAILURE() << text_of(refusal->reason) << ' ' << refusal->detail;
      return {};
    }
    return std::get<compiler::Invocation>(parsed);
  }

  Plan planned(const compiler::Invocation& invocation) {
    const std::string printed = run(compiler().path, probe_arguments(invocation, kCuid));
    Result<Plan> plan = read_plan(printed, invocation, scratch / "t");
    if (plan) return *std::move(plan);
    ADD_FAILURE() << plan.error().message << "\n" << printed;
    return {};
  }

  std::string run_steps(const Plan& plan) { return plan.driver_stderr + run_steps(plan.steps); }

  std::string run_steps(const std::vector<Step>& steps) {
    std::string printed;
    const std::string directory = scratch.make_directory("r");
    for (const Step& step : steps) {
      for (const StepFile& file : step.files) scratch.write("r/" + file.name, file.bytes);
      for (const StepCommand& command : step.commands) {
        printed += run(command.program, in_directory(command.argv, directory));
      }
    }
    return printed;
  }

  static constexpr const char* kCuid = "0123456789abcdef";
  support::Scratch scratch;
};

TEST_P(LivePlan, MakesWhatTheDriverMakesByteForByte) {
  std::vector<std::string> argv = command_line("--offload-arch=gfx906 --offload-arch=gfx1030");
  const std::string printed = run_steps(planned(understood(argv)));
  EXPECT_FALSE(support::exists(scratch / "w/a.o"));
  EXPECT_FALSE(support::exists(scratch / "w/a.d"));

  argv.push_back(std::string("-cuid=") + kCuid);
  const std::string driver_printed = run(argv[0], argv);
  EXPECT_EQ(printed, driver_printed);
  EXPECT_FALSE(printed.empty());
  EXPECT_EQ(support::read_bytes(scratch / "r/host.o"), support::read_bytes(scratch / "w/a.o"));
  EXPECT_EQ(support::read_bytes(scratch / "r/host.d"), support::read_bytes(scratch / "w/a.d"));
  EXPECT_FALSE(support::read_bytes(scratch / "r/host.o").empty());
}

TEST_P(LivePlan, MakesTheSameWithADeferredFatbin) {
  std::vector<std::string> argv = command_line("--offload-arch=gfx906 --offload-arch=gfx1030");
  const Plan plan = planned(understood(argv));
  ASSERT_TRUE(plan.deferred_fatbin);
  const std::string printed = run_steps(plan.deferred_fatbin->steps);
  const Result<std::string> object =
      splice_fatbin(support::read_bytes(scratch / "r/host.o"), support::read_bytes(scratch / "r/fatbin.hipfb"));
  ASSERT_TRUE(object) << object.error().message;

  argv.push_back(std::string("-cuid=") + kCuid);
  EXPECT_EQ(printed, run(argv[0], argv));
  EXPECT_EQ(*object, support::read_bytes(scratch / "w/a.o"));
  EXPECT_EQ(support::read_bytes(scratch / "r/host.d"), support::read_bytes(scratch / "w/a.d"));
}

// What does not depend on the optimisation.
class LiveCompiler : public LivePlan {};

TEST_P(LiveCompiler, PlansTheSameDeviceStepsWithAnotherArchBeside) {
  const Plan one = planned(understood(command_line("--offload-arch=gfx906")));
  const Plan three = planned(understood(command_line("--offload-arch=gfx90a,gfx906 --cuda-gpu-arch=gfx1030")));
  ASSERT_EQ(one.steps.size(), 3u);
  ASSERT_EQ(three.steps.size(), 5u);
  EXPECT_EQ(three.steps[1].arch.name, "gfx906");
  EXPECT_EQ(one.steps[0].keyed, three.steps[1].keyed);
  EXPECT_NE(one.steps[0].keyed, three.steps[0].keyed);
}

TEST_P(LiveCompiler, PlansTheArchsThatTheCommandWasUnderstoodToHave) {
  const compiler::Invocation invocation = understood(
      command_line("--offload-arch=gfx1030,gfx90a:xnack-:sramecc+ --offload-arch=gfx906 --no-offload-arch=gfx1030"));
  const Plan plan = planned(invocation);
  ASSERT_EQ(plan.steps.size(), invocation.archs.size() + 2);
  for (std::size_t i = 0; i < invocation.archs.size(); ++i) EXPECT_EQ(plan.steps[i].arch, invocation.archs[i]);
}

TEST_P(LiveCompiler, GivesNoPlanForASourceThatIsNotThere) {
  ASSERT_TRUE(remove_tree(scratch / "w/a.hip"));
  const compiler::Invocation invocation = understood(command_line("--offload-arch=gfx906"));
  const std::string printed = run(compiler().path, probe_arguments(invocation, kCuid), true);
  EXPECT_FALSE(read_plan(printed, invocation, scratch / "t"));
}

const Compiler kCompilers[] = {{"clang15", HIPCACHE_CLANG_15, "-B/usr/lib/llvm-15/bin"},
                               {"clang19", HIPCACHE_CLANG_19, "-B/usr/lib/llvm-19/bin"}};

const char* const kCommonOptions[] = {
    "-O3 -DNDEBUG -std=c++17 -fPIC -Wall -Wextra",
    "-O3 -ffast-math -munsafe-fp-atomics -fgpu-flush-denormals-to-zero",
    "-g -O1 -fno-omit-frame-pointer -gdwarf-4",
    "-g -gsplit-dwarf -fstack-usage",
    "-fsanitize=undefined -fno-gpu-sanitize",
    "-mcode-object-version=4 -mcumode -fno-gpu-rdc",
    "-fopenmp -pthread -fvisibility=hidden -fvisibility-inlines-hidden",
    "-fprofile-instr-generate -fcoverage-mapping",
    "-mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false",
    "-Xarch_device -O3 -Xarch_host -O0 -Xarch_host -march=x86-64-v3",
    "-fcolor-diagnostics -fdiagnostics-show-option -ferror-limit=5",
    "-funroll-loops -fno-math-errno -ffp-contract=fast -ffunction-sections -fdata-sections",
    "-fuse-cuid=none",
    "-fgpu-default-stream=per-thread -fhip-fp32-correctly-rounded-divide-sqrt",
};

TEST_P(LiveCompiler, PlansWhatProjectsCommonlyAskFor) {
  for (const char* more : kCommonOptions) {
    const compiler::Invocation invocation = understood(command_line("--offload-arch=gfx906 " + std::string(more)));
    EXPECT_EQ(planned(invocation).steps.size(), 3u) << more;
  }
}

TEST_P(LiveCompiler, ProvesThatNoCodeDependsOnTheFatbin) {
  for (const char* more : kCommonOptions) {
    const Plan plan = planned(understood(command_line("--offload-arch=gfx906 " + std::string(more))));
    ASSERT_TRUE(plan.deferred_fatbin) << more;
    EXPECT_EQ(run_steps({plan.deferred_fatbin->proof}), "") << more;
    EXPECT_TRUE(is_deferred_fatbin_proof(support::read_bytes(scratch / "r/with-fatbin.o"),
                                         support::read_bytes(scratch / "r/with-placeholder.o")))
        << more;
  }
}

TEST_P(LiveCompiler, SharesTheProofBetweenSourcesMacrosAndWarnings) {
  const Plan one = planned(understood(command_line("--offload-arch=gfx906 -O2")));
  scratch.write("w/x/y.h", "");
  const Plan other =
      planned(understood(command_line("--offload-arch=gfx1030 -O2 -DX=1 -Ix -include y.h -Wall -Werror")));
  const Plan optimised = planned(understood(command_line("--offload-arch=gfx906 -O3")));
  EXPECT_EQ(one.deferred_fatbin->proof.keyed, other.deferred_fatbin->proof.keyed);
  EXPECT_NE(one.deferred_fatbin->proof.keyed, optimised.deferred_fatbin->proof.keyed);
}

TEST_P(LiveCompiler, MakesTheSameCodeObjectWithSplitCodegen) {
  for (const char* more :
       {"-O1 -std=c++20", "-O2 -munsafe-fp-atomics -mcumode", "-O3 -funroll-loops -ffp-contract=on", "-Os"}) {
    const Plan plan = planned(understood(command_line("--offload-arch=gfx906 " + std::string(more))));
    const Step& whole = plan.steps[0];
    ASSERT_TRUE(whole.split_codegen) << more;
    const std::string printed = run_steps({whole});
    const std::string code_object = support::read_bytes(scratch / "r/gfx906.out");
    ASSERT_TRUE(remove_tree(scratch / "r/gfx906.out"));
    Step split_codegen;
    split_codegen.commands = {whole.split_codegen->front};
    EXPECT_EQ(run_steps({split_codegen}), printed) << more;
    split_codegen.commands = whole.split_codegen->back;
    EXPECT_EQ(run_steps({split_codegen}), "") << more;
    EXPECT_TRUE(support::read_bytes(scratch / "r/gfx906.out") == code_object) << more;
  }
}

// What the driver does with these, the parser must know without asking it.
TEST_P(LiveCompiler, AgreesWithTheDriverOnDepfilesAndObjects) {
  const std::vector<std::vector<std::string>> endings = {
      {"-c", "a.hip"},
      {"-c", "a.hip", "-MD"},
      {"-c", "a.hip", "-o", "x.y/b.cpp.o", "-MD"},
      {"-c", "a.hip", "-o", "b", "-MMD"},
      {"-c", "a.hip", "-o", "b.o", "-MF", "c.d"},
      {"-c", "a.hip", "-o", "b.o", "-Wp,-MD,c.d"},
      {"-c", "a.hip", "-o", "b.o", "-Wp,-MMD"},
      {"-c", "a.hip", "-ob.o", "-MMD", "-MFc.d", "-MF", "d.d"},
      {"-MD", "-MT", "x", "-MQ", "y$", "-MP", "-c", "-o", "b.o", "--", "a.hip"},
  };
  for (const auto& ending : endings) {
    std::vector<std::string> argv = {
        compiler().path, compiler().tools,   "-x",
        "hip",           "--rocm-path=/usr", "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"};
    argv.insert(argv.end(), ending.begin(), ending.end());
    EXPECT_EQ(planned(understood(argv)).steps.size(), 3u);
  }
}

std::string name_of(const ::testing::TestParamInfo<LivePlan::ParamType>& row) {
  std::string options = std::get<1>(row.param);
  std::erase_if(options, [](char c) { return c == '-' || c == ' '; });
  return std::get<0>(row.param).name + ("_" + options);
}

INSTANTIATE_TEST_SUITE_P(Compilers, LivePlan,
                         ::testing::Combine(::testing::ValuesIn(kCompilers), ::testing::Values("-O0", "-O2 -g")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, LiveCompiler,
                         ::testing::Combine(::testing::ValuesIn(kCompilers), ::testing::Values("-O2")), name_of);

}  // namespace
}  // namespace hipcache::hip
