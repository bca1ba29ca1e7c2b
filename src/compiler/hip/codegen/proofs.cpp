#include "compiler/hip/codegen/proofs.h"

#include <utility>

#include "compiler/hip/codegen/split_codegen.h"
#include "compiler/hip/jobs/frontend_job.h"
#include "compiler/hip/jobs/link_jobs.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/compiler/hip/fatbin_splice.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Argument;
using compiler::Cc1Role;

// The name of the source in the request's directory.
constexpr const char* kProofSource = "proof.hip";

// Whether an argument does not affect a proof's code, or differs between the sources of a project. Proofs leave it out.
// Otherwise each source would need a proof of its own.
bool is_of_project(Cc1Role role) {
  return is_of_text(role) || role == Cc1Role::main_file || role == Cc1Role::cuid || role == Cc1Role::look;
}

// The step without its outputs. Its key has the commands and the source's text.
Step proof_step(StepKind kind, std::vector<StepCommand> commands, const char* source) {
  Step step;
  step.kind = kind;
  step.is_proof = true;
  step.commands = std::move(commands);
  for (const StepCommand& command : step.commands) step.keyed.push_back(command.argv);
  step.keyed.push_back({source});
  step.files = {{kProofSource, source}};
  return step;
}

constexpr const char* kFatbin = "proof.hipfb";
constexpr const char* kPlaceholder = "placeholder.hipfb";

// A source whose host object holds what that of a HIP source holds: a kernel's launch function, device variables, their
// registration, a constructor. It needs no header, and declares the functions that clang requires for a kernel.
constexpr const char* kHostSource = R"(struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, __SIZE_TYPE__, struct ihipStream_t*);
extern "C" int hipLaunchKernel_spt(const void*, dim3, dim3, void**, __SIZE_TYPE__, struct ihipStream_t*);
__attribute__((device)) int hipcache_variable;
__attribute__((constant)) int hipcache_constant;
__attribute__((global)) void hipcache_kernel(int* out) { *out = hipcache_variable + hipcache_constant; }
struct hipcache_object { hipcache_object(); ~hipcache_object(); int value; };
hipcache_object hipcache_instance;
int hipcache_host(const char* text) { return text[0] + hipcache_instance.value; }
const char* hipcache_text() { return "hipcache"; }
)";

// Larger than the large-object threshold of code models.
constexpr std::size_t kFatbinSize = 70'001;

const std::string& proof_fatbin() {
  static const std::string bytes = [] {
    std::string made;
    made.reserve(kFatbinSize);
    for (std::size_t i = 0; i < kFatbinSize; ++i) made.push_back(static_cast<char>(i * 31 >> 3));
    return made;
  }();
  return bytes;
}

// "-fdebug-compilation-dir=/build" becomes "-fdebug-compilation-dir=/".
void set_root(std::vector<std::string>& argv, std::size_t first, std::size_t count) {
  if (count == 2) {
    argv[first + 1] = "/";
  } else {
    argv[first].replace(argv[first].find('=') + 1, std::string::npos, "/");
  }
}

StepCommand host_proof_command(const FrontendJob& host, const std::string& name, const std::string& fatbin) {
  std::vector<std::string> argv = frontend_command(host, {placed(name + ".o"), placed("proof"), placed(fatbin)}).argv;
  for (const Cc1Argument& argument : host.arguments) {
    const std::size_t first = kBeforeArguments + argument.first;
    if (argument.role == Cc1Role::source) argv[first] = placed(kProofSource);
    if (argument.role == Cc1Role::compilation_dir) set_root(argv, first, argument.count);
  }
  StepCommand command{host.job[0], without(std::move(argv), host,
                                           [](const Cc1Argument& argument) { return is_of_project(argument.role); })};
  command.argv.emplace_back("-w");
  return command;
}

}  // namespace

Step deferred_fatbin_proof(const FrontendJob& host) {
  Step step = proof_step(
      StepKind::host,
      {host_proof_command(host, "with-fatbin", kFatbin), host_proof_command(host, "with-placeholder", kPlaceholder)},
      kHostSource);
  step.files.push_back({kFatbin, proof_fatbin()});
  step.files.push_back({kPlaceholder, std::string(kPlaceholderFatbin)});
  step.outputs = {{"with-fatbin", "with-fatbin.o", ""}, {"with-placeholder", "with-placeholder.o", ""}};
  return step;
}

bool is_deferred_fatbin_proof(std::string_view with_fatbin, std::string_view with_placeholder) {
  const Result<std::string> spliced = splice_fatbin(with_placeholder, proof_fatbin());
  return spliced && *spliced == with_fatbin;
}

namespace {

// A source of constructs that back ends treat specially: kernels and functions, inlined and not; each kind of memory;
// loops to unroll and to vectorise; contraction, division, roots and conversions; a switch; recursion; barriers and
// atomics; unused code; strings; the linkage of a template. It needs no header. Each line adds to the first build with
// a set of options: one unrolled loop of 64 iterations took a third of the proof's time.
constexpr const char* kDeviceSource = R"(#define DEVICE __attribute__((device))
DEVICE int hipcache_variable = 7;
__attribute__((constant)) float hipcache_constant[4] = {1, 2, 3, 4};
static DEVICE const char* const hipcache_names[] = {"one", "two"};
template <typename T>
struct hipcache_pair {
  T first, second;
  DEVICE T sum() const { return first * second + second; }
};
DEVICE __attribute__((noinline)) float hipcache_called(float x, int n) {
  for (int i = 0; i < n; ++i) x = x * x + hipcache_constant[i & 3] / (x + 1.0f);
  return __builtin_sqrtf(x);
}
static DEVICE int hipcache_recursive(int n) { return n < 2 ? n : hipcache_recursive(n - 1) + hipcache_recursive(n - 2); }
static inline DEVICE double hipcache_chosen(int which, double x) {
  switch (which) {
    case 0: return x;
    case 1: return x * 3 + 1;
    case 2: return -x;
    case 7: return hipcache_recursive(which);
    default: return (float)x;
  }
}
template <int N>
__attribute__((global)) void hipcache_template(float* out, const float* in) {
  __attribute__((shared)) static float tile[64];
#pragma unroll
  for (int i = 0; i < N; ++i) tile[(i * 5) & 63] = in[i] * in[i] + out[i];
  __builtin_amdgcn_s_barrier();
  for (int i = 0; i < 12; ++i) out[i] += tile[63 - i];
}
template __attribute__((global)) void hipcache_template<9>(float*, const float*);
__attribute__((global)) void hipcache_kernel(float* out, int* counts, int n) {
  const int lane = __builtin_amdgcn_workitem_id_x();
  hipcache_pair<float> pair = {out[lane], hipcache_called(out[n], lane)};
  out[lane] = pair.sum() + (float)hipcache_chosen(n, out[0]);
  __atomic_fetch_add(counts, hipcache_variable + hipcache_names[n & 1][0], __ATOMIC_RELAXED);
}
)";

bool is_left_out(const Cc1Argument& argument) {
  return is_of_project(argument.role) || argument.role == Cc1Role::device_library ||
         argument.role == Cc1Role::compilation_dir;
}

// The device's compile job, applied to the proof's source.
Job job_of_proof(const FrontendJob& compile) {
  Job job = compile.job;
  for (const Cc1Argument& argument : compile.arguments)
    if (argument.role == Cc1Role::source) job[kBeforeArguments + argument.first] = placed(kProofSource);
  Job kept = without(std::move(job), compile, is_left_out);
  kept.emplace_back("-w");
  return kept;
}

}  // namespace

std::optional<Step> split_codegen_proof(const DeviceJobs& device) {
  Result<FrontendJob> compile = read_frontend_job(job_of_proof(device.compile));
  if (!compile) return std::nullopt;
  DeviceJobs small = device;
  small.compile = std::move(*compile);
  // The arch is part of the names, because the proofs of several archs run in one directory.
  const std::string one = file_name(device.arch) + ".as-one";
  const std::string two = file_name(device.arch) + ".in-two";
  const SplitCodegen split_codegen =
      split_codegen_commands(small, {placed(two + ".bc"), placed(two + ".o"), placed(two), ""});
  // The proof does not run the linker: equal objects link to equal code objects.
  const StepCommand as_one = frontend_command(small.compile, {placed(one + ".o"), placed(one), ""});
  Step step = proof_step(StepKind::device, {in_one_start({as_one, split_codegen.front, split_codegen.back.front()})},
                         kDeviceSource);
  step.arch = device.arch;
  step.outputs = {{"as-one", one + ".o", ""}, {"in-two", two + ".o", ""}};
  return step;
}

bool is_split_codegen_proof(std::string_view as_one, std::string_view in_two) {
  return !as_one.empty() && as_one == in_two;
}

}  // namespace hipcache::hip
