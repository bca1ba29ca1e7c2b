#include "compiler/hip/codegen/preamble.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/hip/jobs/link_jobs.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Argument;
using compiler::Cc1Role;

constexpr std::string_view kInclude = "-include";
constexpr std::string_view kWrapper = "__clang_hip_runtime_wrapper.h";

const std::string& word_of(const FrontendJob& job, const Cc1Argument& argument) {
  return job.job[kBeforeArguments + argument.first];
}

bool is_wrapper(const FrontendJob& job, const Cc1Argument& argument) {
  return word_of(job, argument) == kInclude && argument.count == 2 && argument.value == kWrapper;
}

// What the driver gives front ends beside the options that the codegen split knows: of the host, for relocatable code,
// and by the user's wish for fast or hardened code.
constexpr std::string_view kPlain =
    " -fmath-errno -tune-cpu -mrelax-all -treat-scalable-fixed-error-as-warning -emit-llvm-uselists -fno-plt"
    " -fstack-clash-protection -fcf-protection=full -ffast-math -ffinite-math-only -fapprox-func -fno-signed-zeros"
    " -freciprocal-math -funsafe-math-optimizations -menable-no-infs -menable-no-nans -mreassociate"
    " -fgpu-approx-transcendentals -ffp-contract=fast -complex-range=basic"
    " -fdenormal-fp-math=preserve-sign,preserve-sign ";

// Options are permitted, not forbidden: jobs with these were compiled both ways (docs/internals/plan.md), and all
// others leave a job as it is. All of a job's options are those of the header as well, and its proof compiles with
// them.
bool is_permitted(const Cc1Argument& argument, const FrontendJob& job) {
  const std::string& word = word_of(job, argument);
  switch (argument.role) {
    case Cc1Role::plain: {
      const std::string_view option = std::string_view(word).substr(0, word.find('=') + 1);
      return compiler::option_has(word, compiler::facts::same_for_both) ||
             compiler::option_has(option, compiler::facts::same_for_both) || lists(kPlain, word);
    }
    case Cc1Role::optimization:
      return word == "-O0" || lists(" 1 2 3 s z fast ", argument.value);
    case Cc1Role::language:
      return argument.count == 2 && argument.value == "hip";
    case Cc1Role::preprocessing:
      return is_wrapper(job, argument) || word.starts_with("-D") || word.starts_with("-U") || word.starts_with("-I") ||
             word == "-isystem" || word == "-iquote" || word == "-idirafter" || word == "-resource-dir" ||
             word == "-isysroot";
    case Cc1Role::records_paths:
      return word == "-debug-info-kind=line-tables-only" || word.starts_with("-dwarf-version=") ||
             word.starts_with("--gpu-max-threads-per-block=");
    case Cc1Role::split_dwarf:
    case Cc1Role::stack_usage:
    case Cc1Role::remark:
    case Cc1Role::hashes_names:
      return false;
    case Cc1Role::emits:
      return job.emits == Emits::object || job.emits == Emits::bitcode;
    default:
      return true;
  }
}

// "" if the job may use the header.
std::string why_not(const FrontendJob& job) {
  bool has_wrapper = false;
  for (const Cc1Argument& argument : job.arguments) {
    const bool is_first = is_wrapper(job, argument) && !std::exchange(has_wrapper, true);
    if (is_wrapper(job, argument) && !is_first) return "the wrapper header is included twice";
    if (!is_permitted(argument, job)) return word_of(job, argument) + " was not judged";
  }
  const auto languages = std::count_if(job.arguments.begin(), job.arguments.end(),
                                       [](const Cc1Argument& argument) { return argument.role == Cc1Role::language; });
  return languages == 1 ? "" : "the language of its source";
}

// The name of the macro that the argument defines or undefines, if it is one that a user gives: it begins with a
// letter. Other names are the driver's and the libraries', and decide what the wrapper's text is. "" for any other
// argument.
std::string users_macro(const Cc1Argument& argument, const FrontendJob& job) {
  const std::string& word = word_of(job, argument);
  if (argument.role != Cc1Role::preprocessing || !(word.starts_with("-D") || word.starts_with("-U"))) return "";
  const std::string name = argument.value.substr(0, argument.value.find_first_of("=("));
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && is_letter(name.front()) ? name : "";
}

bool is_system_directory(const Cc1Argument& argument, const FrontendJob& job) {
  const std::string& word = word_of(job, argument);
  return argument.role == Cc1Role::search_path || word == "-isystem" || word == "-idirafter";
}

// The directory of -I or -iquote, in which names are looked for before any system directory. "" for any other
// argument, and for one that clang gives another meaning: below the system root, or a system directory as well.
std::string users_directory(const Cc1Argument& argument, const FrontendJob& job) {
  const std::string& word = word_of(job, argument);
  if (argument.role != Cc1Role::preprocessing || !(word.starts_with("-I") || word == "-iquote")) return "";
  if (argument.value.starts_with('=') || argument.value == "-") return "";
  const bool is_twofold = std::any_of(job.arguments.begin(), job.arguments.end(), [&](const Cc1Argument& other) {
    return is_system_directory(other, job) && other.value == argument.value;
  });
  return is_twofold ? "" : argument.value;
}

// Whether the header does not depend on the argument, or the commands below have another one in its place.
bool is_of_job(const Cc1Argument& argument, const FrontendJob& job) {
  switch (argument.role) {
    case Cc1Role::source:
    case Cc1Role::output:
    case Cc1Role::depfile:
    case Cc1Role::dependency:
    case Cc1Role::fatbin:
    case Cc1Role::emits:
    case Cc1Role::cuid:
    case Cc1Role::main_file:
    case Cc1Role::compilation_dir:
    case Cc1Role::device_library:
    case Cc1Role::language:
    case Cc1Role::look:
      return true;
    default:
      return !users_macro(argument, job).empty() || !users_directory(argument, job).empty();
  }
}

// Uses what the wrapper and the headers that it reads define, for both sides. It needs no other header, and declares
// what clang requires for a kernel. Without optimisation each function that is used shows as it is.
constexpr const char* kSource = R"(struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, __SIZE_TYPE__, struct ihipStream_t*);
extern "C" int hipLaunchKernel_spt(const void*, dim3, dim3, void**, __SIZE_TYPE__, struct ihipStream_t*);
#define BOTH __host__ __device__
struct hipcache_base {
  BOTH virtual int value(int) const = 0;
  BOTH virtual void gone() = delete;
  BOTH virtual ~hipcache_base() {}
};
struct hipcache_derived : hipcache_base {
  BOTH int value(int x) const override { return x + 1; }
  BOTH void gone() override = delete;
};
__device__ int hipcache_variable = 7;
__constant__ float hipcache_constant[4] = {1, 2, 3, 4};
template <typename T>
BOTH T hipcache_math(T x, T y, int* n) {
  x = std::sin(x) * std::pow(x, y) + std::sqrt(std::fabs(y)) + std::exp(std::log(x)) + std::atan2(x, y);
  x += std::fma(x, y, x) + std::frexp(x, n) + std::ldexp(x, *n) + std::fmod(x, y) + std::floor(x) + std::cbrt(y);
  return std::isnan(x) || std::isinf(y) || std::signbit(x) ? x : std::max(x, std::min(y, T(2)));
}
BOTH float hipcache_plain(float x, double y, int z) {
  return sinf(x) + powf(x, 2) + static_cast<float>(cos(y)) + static_cast<float>(abs(z)) + fmaxf(x, 1);
}
__global__ void hipcache_kernel(float* f, double* d, int* n) {
  hipcache_derived one;
  const hipcache_base& base = one;
  hipcache_base* made = new hipcache_derived;
  *n = base.value(*n) + made->value(*n) + hipcache_variable;
  delete made;
  int* block = static_cast<int*>(malloc(16));
  *block = static_cast<int>(f[*n & 3]);
  free(block);
  std::complex<float> c(f[0], hipcache_constant[1]);
  c *= c;
  f[0] = hipcache_math(f[0], f[1], n) + c.real() + hipcache_plain(f[2], d[1], *n) + __sinf(f[3]) + rsqrtf(f[2]);
  d[0] = hipcache_math(d[0], d[1], n) + std::abs(d[2]) + static_cast<double>(std::abs(*n));
}
float hipcache_host(float* f, double* d, int* n) {
  hipcache_derived one;
  const hipcache_base& base = one;
  std::complex<double> c(d[0], 1);
  c = c * std::sqrt(c) / std::exp(c);
  std::sort(n, n + 4);
  d[1] = c.imag();
  return hipcache_math(*f, f[1], n) + static_cast<float>(hipcache_math(*d, d[1], n)) +
         static_cast<float>(base.value(*n)) + hipcache_plain(*f, *d, *n);
}
)";

constexpr const char* kMainFile = "preamble.hip";

// The job without what belongs to it alone, and with these words.
StepCommand command_with(const FrontendJob& job, std::vector<std::string> more) {
  StepCommand command{job.job[0],
                      without(job.job, job, [&](const Cc1Argument& argument) { return is_of_job(argument, job); })};
  command.argv.insert(command.argv.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return command;
}

StepCommand proof_command(const FrontendJob& job, const std::string& source, const std::string& output) {
  return command_with(job, {"-emit-llvm-bc", "-disable-llvm-passes", "-w", "-main-file-name", kMainFile, "-o",
                            placed(output), "-x", "hip", placed(source)});
}

// The source is empty: the text is included. clang writes the source's name into the header, so it has one name
// everywhere.
StepCommand make_command(const FrontendJob& job, const std::string& header, const std::string& depfile,
                         bool lists_system_files) {
  std::vector<std::string> words{"-emit-pch", "-fno-pch-timestamp", "-dependency-file", placed(depfile), "-MT",
                                 "preamble"};
  if (lists_system_files) words.emplace_back("-sys-header-deps");
  words.insert(words.end(), {"-main-file-name", kMainFile, "-o", placed(header), "-x", "hip", "/dev/null"});
  return command_with(job, std::move(words));
}

bool lists_system_files(const FrontendJob& job) {
  return std::find(job.job.begin(), job.job.end(), "-sys-header-deps") != job.job.end();
}

}  // namespace

std::optional<Preamble> preamble_of(const FrontendJob& job, const compiler::ArchId& arch, const std::string& stem,
                                    bool lists_files) {
  const bool reads_wrapper = std::any_of(job.arguments.begin(), job.arguments.end(),
                                         [&](const Cc1Argument& argument) { return is_wrapper(job, argument); });
  if (!reads_wrapper) return std::nullopt;
  Preamble preamble{.why_not = why_not(job)};
  if (!preamble.why_not.empty()) return preamble;
  for (const Cc1Argument& argument : job.arguments) {
    if (std::string name = users_macro(argument, job); !name.empty()) preamble.left_out.push_back(std::move(name));
    if (std::string name = users_directory(argument, job); !name.empty())
      preamble.left_out_directories.push_back(std::move(name));
    if (is_system_directory(argument, job)) preamble.system_directories.push_back(argument.value);
  }
  const std::string source = stem + ".preamble.hip", depfile = stem + ".preamble.d";
  preamble.header = stem + ".preamble.pch";
  preamble.plain_output = stem + ".preamble-plain.bc";
  preamble.with_output = stem + ".preamble-with.bc";
  preamble.plain = proof_command(job, source, preamble.plain_output);
  preamble.with = proof_command(job, source, preamble.with_output);
  use_preamble(preamble.with.argv, placed(preamble.header));

  Step make;
  make.kind = StepKind::preamble;
  make.arch = arch;
  if (arch.name.empty()) make.subject = "host";
  const bool lists_all = !lists_files || lists_system_files(job);
  make.commands = {make_command(job, preamble.header, depfile, lists_all)};
  make.keyed = {make_command(job, "<header>", "<depfile>", lists_all).argv, {kSource}};
  make.outputs = {{kPreamble, preamble.header, ""}, {kPreambleDepfile, depfile, ""}};
  make.files = {{source, kSource, true}};
  make.hashes_names = true;
  preamble.make = std::make_shared<const Step>(std::move(make));
  return preamble;
}

bool use_preamble(std::vector<std::string>& argv, const std::string& header) {
  const auto end = std::find(argv.begin(), argv.end(), kThen);
  for (auto word = argv.begin(); word != end && word + 1 != end; ++word) {
    if (*word != kInclude || *(word + 1) != kWrapper) continue;
    *word = "-include-pch";
    *(word + 1) = header;
    return true;
  }
  return false;
}

}  // namespace hipcache::hip
