#include "compiler/hip/codegen/deferred_fatbin_proof.h"

#include <utility>

#include "compiler/hip/codegen/proof_step.h"
#include "compiler/hip/jobs/step_names.h"
#include "hipcache/compiler/hip/fatbin_splice.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Argument;
using compiler::Cc1Role;

constexpr const char* kFatbin = "proof.hipfb";
constexpr const char* kPlaceholder = "placeholder.hipfb";

// A source whose host object holds what that of a HIP source holds: a kernel's launch function, device variables, their
// registration, a constructor. It needs no header, and declares the functions that clang requires for a kernel.
constexpr const char* kSourceText = R"(struct dim3 { unsigned x, y, z; };
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

StepCommand proof_command(const FrontendJob& host, const std::string& name, const std::string& fatbin) {
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
  Step step =
      proof_step(StepKind::host,
                 {proof_command(host, "with-fatbin", kFatbin), proof_command(host, "with-placeholder", kPlaceholder)},
                 kSourceText);
  step.files.push_back({kFatbin, proof_fatbin()});
  step.files.push_back({kPlaceholder, std::string(kPlaceholderFatbin)});
  step.outputs = {{"with-fatbin", "with-fatbin.o", ""}, {"with-placeholder", "with-placeholder.o", ""}};
  return step;
}

bool is_deferred_fatbin_proof(std::string_view with_fatbin, std::string_view with_placeholder) {
  const Result<std::string> spliced = splice_fatbin(with_placeholder, proof_fatbin());
  return spliced && *spliced == with_fatbin;
}

}  // namespace hipcache::hip
