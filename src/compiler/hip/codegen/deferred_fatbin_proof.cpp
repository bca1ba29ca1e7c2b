#include "compiler/hip/codegen/deferred_fatbin_proof.h"

#include "hipcache/compiler/hip/fatbin_splice.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Argument;
using compiler::Cc1Role;

constexpr const char* kSource = "proof.hip";
constexpr const char* kFatbin = "proof.hipfb";
constexpr const char* kPlaceholder = "placeholder.hipfb";

// A source whose host object holds what that of a HIP source holds: a kernel's stub, device variables, their
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

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

// Leaves out arguments that do not affect this source's code, or that differ between the sources of a project.
// Otherwise each source would need a proof of its own.
bool is_left_out(const Cc1Argument& argument) {
  return is_of_text(argument.role) || argument.role == Cc1Role::main_file || argument.role == Cc1Role::cuid;
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
    if (argument.role == Cc1Role::source) argv[first] = placed(kSource);
    if (argument.role == Cc1Role::compilation_dir) set_root(argv, first, argument.count);
  }
  StepCommand command{host.job[0], without(std::move(argv), host, is_left_out)};
  command.argv.emplace_back("-w");
  return command;
}

}  // namespace

Step host_proof(const FrontendJob& host) {
  Step step;
  step.kind = StepKind::host;
  step.is_proof = true;
  step.commands = {proof_command(host, "with-fatbin", kFatbin), proof_command(host, "with-placeholder", kPlaceholder)};
  for (const StepCommand& command : step.commands) step.keyed.push_back(command.argv);
  step.keyed.push_back({kSourceText});
  step.files = {{kSource, kSourceText}, {kFatbin, proof_fatbin()}, {kPlaceholder, std::string(kPlaceholderFatbin)}};
  step.outputs = {{"with-fatbin", "with-fatbin.o", ""}, {"with-placeholder", "with-placeholder.o", ""}};
  return step;
}

bool is_proof(std::string_view with_fatbin, std::string_view with_placeholder) {
  const Result<std::string> spliced = splice_fatbin(with_placeholder, proof_fatbin());
  return spliced && *spliced == with_fatbin;
}

}  // namespace hipcache::hip
