#include "compiler/hip/codegen/split_codegen.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "compiler/hip/codegen/split_codegen_proof.h"
#include "hipcache/base/text.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Argument;
using compiler::Cc1Role;

// At -O0, clang 19 makes different objects from the bitcode and from the source. Other levels (-Og, -O4) are untested.
constexpr std::string_view kOptimized = " 1 2 3 s z ";

// Options that only the front end uses, or that the compiler also reads for bitcode input. The compiler ignores most
// language options for bitcode, but the back end uses a few of them: contraction, fast mathematics, exceptions,
// built-in functions. With such an option some sources give the same object and others do not.
constexpr std::string_view kSameForBoth =
    " --gpu-max-threads-per-block= --mrelax-relocations --no-offloadlib --offload-new-driver --offloadlib "
    "-aux-target-cpu -aux-triple "
    " -clear-ast-before-backend -debugger-tuning= -disable-free -disable-llvm-verifier -discard-value-names -faddrsig "
    " -fatomic-fine-grained-memory -fatomic-ignore-denormal-mode -fatomic-remote-memory -fms-anonymous-structs "
    " -fno-ms-anonymous-structs -fno-color-diagnostics -menable-unsafe-fp-math -no-opaque-pointers "
    " -fapply-global-visibility-to-externs -fbracket-depth -fconstexpr-steps "
    " -fcoverage-prefix-map= -fcuda-allow-variadic-functions -fcxx-exceptions -fdata-sections -fdebug-prefix-map= "
    " -fdeprecated-macro -fdwarf2-cfi-asm -ferror-limit -fexceptions -ffp-contract=fast-honor-pragmas "
    " -ffp-contract=off -ffp-contract=on -ffunction-sections -fgnuc-version= -fgpu-default-stream= "
    " -fhalf-no-semantic-interposition -fhip-new-launch-api -finline-hint-functions -fmacro-prefix-map= "
    " -fmerge-all-constants -fno-autolink -fno-implicit-modules -fno-rounding-math -fno-rtti -fno-threadsafe-statics "
    " -fskip-odr-check-in-gmf -ftemplate-depth -ftrivial-auto-var-init= -funroll-loops -funwind-tables= -fvisibility "
    " -fvisibility-inlines-hidden -fvisibility= -fwrapv -mcode-object-version= -mconstructor-aliases -mframe-pointer= "
    " -mllvm -mrelocation-model -munsafe-fp-atomics -pic-is-pie -pic-level -pthread -relaxed-aliasing -resource-dir "
    " -stack-protector -std= -target-feature -triple -vectorize-loops -vectorize-slp ";

// Compares the word, and the word up to its value ("-std=" of "-std=c++17").
bool is_same_for_both(std::string_view word) {
  const std::string_view option = word.substr(0, word.find('=') + 1);
  return lists(kSameForBoth, word) || lists(kSameForBoth, option);
}

bool is_known(const Cc1Argument& argument, const FrontendJob& job) {
  switch (argument.role) {
    case Cc1Role::plain:
      return is_same_for_both(job.job[kBeforeArguments + argument.first]);
    case Cc1Role::optimization:
      return lists(kOptimized, argument.value);
    case Cc1Role::language:
      return argument.count == 2;  // the value must be a separate argument, because it is replaced
    case Cc1Role::split_dwarf:
    case Cc1Role::stack_usage:
    case Cc1Role::fatbin:
    case Cc1Role::relocatable:
    case Cc1Role::remark:
    case Cc1Role::hashes_names:
    case Cc1Role::records_paths:
      return false;
    default:
      return true;
  }
}

std::ptrdiff_t count(const FrontendJob& job, Cc1Role role) {
  return std::count_if(job.arguments.begin(), job.arguments.end(),
                       [&](const Cc1Argument& argument) { return argument.role == role; });
}

}  // namespace

std::optional<SplitCodegen> split_codegen_of(const DeviceJobs& device, const SplitCodegenNames& names) {
  const FrontendJob& job = device.compile;
  const auto is_unknown = [&](const Cc1Argument& argument) { return !is_known(argument, job); };
  if (!device.link || job.emits != Emits::object) return std::nullopt;
  if (std::any_of(job.arguments.begin(), job.arguments.end(), is_unknown)) return std::nullopt;
  if (count(job, Cc1Role::optimization) == 0 || count(job, Cc1Role::language) != 1) return std::nullopt;
  SplitCodegen split_codegen = split_codegen_commands(device, names);
  std::optional<Step> proof = split_codegen_proof(device);
  if (!proof) return std::nullopt;
  split_codegen.proof = std::make_shared<const Step>(std::move(*proof));
  return split_codegen;
}

}  // namespace hipcache::hip
