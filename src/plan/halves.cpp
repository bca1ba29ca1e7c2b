#include "plan/halves.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hipcache::plan {
namespace {

using command::Cc1Argument;
using command::Cc1Role;

constexpr std::size_t kBeforeArguments = 2;  // the program and "-cc1"

// At -O0 clang 19 makes another object of the bitcode than of the source. What other levels there are (-Og, -O4) nobody
// has looked at.
constexpr auto kOptimized = std::to_array<std::string_view>({"1", "2", "3", "s", "z"});

// What the front end alone goes by, or what the compiler reads for bitcode as well. Most options of the language it
// does not read then, and the back end asks a few of them: contraction, fast mathematics, exceptions, built-in
// functions. With such an option some sources come out the same and others do not.
constexpr auto kSameForBoth = std::to_array<std::string_view>({"--gpu-max-threads-per-block=",
                                                               "--mrelax-relocations",
                                                               "-aux-target-cpu",
                                                               "-aux-triple",
                                                               "-clear-ast-before-backend",
                                                               "-debugger-tuning=",
                                                               "-disable-free",
                                                               "-disable-llvm-verifier",
                                                               "-discard-value-names",
                                                               "-faddrsig",
                                                               "-fapply-global-visibility-to-externs",
                                                               "-fbracket-depth",
                                                               "-fcolor-diagnostics",
                                                               "-fconstexpr-steps",
                                                               "-fcoverage-prefix-map=",
                                                               "-fcuda-allow-variadic-functions",
                                                               "-fcxx-exceptions",
                                                               "-fdata-sections",
                                                               "-fdebug-prefix-map=",
                                                               "-fdeprecated-macro",
                                                               "-fdwarf2-cfi-asm",
                                                               "-ferror-limit",
                                                               "-fexceptions",
                                                               "-ffp-contract=fast-honor-pragmas",
                                                               "-ffp-contract=off",
                                                               "-ffp-contract=on",
                                                               "-ffunction-sections",
                                                               "-fgnuc-version=",
                                                               "-fgpu-default-stream=",
                                                               "-fhalf-no-semantic-interposition",
                                                               "-fhip-new-launch-api",
                                                               "-finline-hint-functions",
                                                               "-fmacro-prefix-map=",
                                                               "-fmerge-all-constants",
                                                               "-fno-autolink",
                                                               "-fno-implicit-modules",
                                                               "-fno-rounding-math",
                                                               "-fno-rtti",
                                                               "-fno-threadsafe-statics",
                                                               "-fskip-odr-check-in-gmf",
                                                               "-ftemplate-depth",
                                                               "-ftrivial-auto-var-init=",
                                                               "-funroll-loops",
                                                               "-fvisibility",
                                                               "-fvisibility-inlines-hidden",
                                                               "-fvisibility=",
                                                               "-fwrapv",
                                                               "-mcode-object-version=",
                                                               "-mconstructor-aliases",
                                                               "-mframe-pointer=",
                                                               "-mllvm",
                                                               "-mrelocation-model",
                                                               "-munsafe-fp-atomics",
                                                               "-pic-is-pie",
                                                               "-pic-level",
                                                               "-pthread",
                                                               "-relaxed-aliasing",
                                                               "-resource-dir",
                                                               "-stack-protector",
                                                               "-std=",
                                                               "-target-feature",
                                                               "-triple",
                                                               "-vectorize-loops",
                                                               "-vectorize-slp"});

// By itself, or up to its value: "-std=c++17".
bool is_same_for_both(std::string_view word) {
  const std::string_view option = word.substr(0, word.find('=') + 1);
  const auto is_listed = [&](std::string_view name) {
    return std::find(kSameForBoth.begin(), kSameForBoth.end(), name) != kSameForBoth.end();
  };
  return is_listed(word) || (!option.empty() && is_listed(option));
}

bool is_known(const Cc1Argument& argument, const FrontendJob& job) {
  switch (argument.role) {
    case Cc1Role::plain:
      return is_same_for_both(job.job[kBeforeArguments + argument.first]);
    case Cc1Role::optimization:
      return std::find(kOptimized.begin(), kOptimized.end(), argument.value) != kOptimized.end();
    case Cc1Role::language:
      return argument.count == 2;  // it is to be replaced
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

// Where macros and warnings come from is the front end's alone: the bitcode has what became of them.
bool is_of_front(const Cc1Argument& argument) {
  switch (argument.role) {
    case Cc1Role::preprocessing:
    case Cc1Role::search_path:
    case Cc1Role::device_library:
    case Cc1Role::warning:
    case Cc1Role::depfile:
    case Cc1Role::dependency:
      return true;
    default:
      return false;
  }
}

// What a proof is good for whatever it is.
bool is_of_unit(const Cc1Argument& argument) {
  return argument.role == Cc1Role::main_file || argument.role == Cc1Role::cuid ||
         argument.role == Cc1Role::compilation_dir;
}

bool is_of_front_or_unit(const Cc1Argument& argument) { return is_of_front(argument) || is_of_unit(argument); }

std::vector<std::string> without(const std::vector<std::string>& argv, const FrontendJob& job,
                                 bool (*is_left_out)(const Cc1Argument&)) {
  std::vector<bool> left_out(argv.size(), false);
  for (const Cc1Argument& argument : job.arguments) {
    if (!is_left_out(argument)) continue;
    for (std::size_t i = 0; i < argument.count; ++i) left_out[kBeforeArguments + argument.first + i] = true;
  }
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < argv.size(); ++i)
    if (!left_out[i]) kept.push_back(argv[i]);
  return kept;
}

// With the device libraries linked in: clang 15 would otherwise take them in at another moment. In the order of uses,
// which optimisations go by.
StepCommand front_command(const FrontendJob& job, const HalvesNames& names) {
  StepCommand command = frontend_command(job, {names.bitcode, names.beside, ""});
  for (const Cc1Argument& argument : job.arguments)
    if (argument.role == Cc1Role::emits) command.argv[kBeforeArguments + argument.first] = "-emit-llvm-bc";
  const std::array more{"-disable-llvm-passes", "-emit-llvm-uselists"};
  command.argv.insert(command.argv.begin() + kBeforeArguments, more.begin(), more.end());
  return command;
}

// All warnings: a pragma of the source may ask for one that the command line does not. What the back end then has to
// say is the compiler's to say, of the source.
std::vector<std::string> back_arguments(const FrontendJob& job, const HalvesNames& names, bool for_proof) {
  std::vector<std::string> argv = frontend_command(job, {names.object, names.beside, ""}).argv;
  for (const Cc1Argument& argument : job.arguments) {
    std::string& last = argv[kBeforeArguments + argument.first + argument.count - 1];
    if (argument.role == Cc1Role::language) last = "ir";
    if (argument.role == Cc1Role::source) last = names.bitcode;
  }
  argv = without(argv, job, for_proof ? is_of_front_or_unit : is_of_front);
  argv.emplace_back("-Weverything");
  return argv;
}

}  // namespace

std::optional<Halves> halves_of(const DeviceJobs& device, const HalvesNames& names) {
  const FrontendJob& job = device.compile;
  const auto is_unknown = [&](const Cc1Argument& argument) { return !is_known(argument, job); };
  if (!device.link || job.emits != Emits::object) return std::nullopt;
  if (std::any_of(job.arguments.begin(), job.arguments.end(), is_unknown)) return std::nullopt;
  if (count(job, Cc1Role::optimization) == 0 || count(job, Cc1Role::language) != 1) return std::nullopt;
  const StepCommand link = link_command(*device.link, {names.object}, names.code_object);
  Halves halves;
  halves.front = front_command(job, names);
  halves.back = {{job.job[0], back_arguments(job, names, false)}, link};
  halves.proven = {back_arguments(job, names, true), link.argv};
  return halves;
}

}  // namespace hipcache::plan
