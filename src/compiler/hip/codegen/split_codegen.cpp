#include "compiler/hip/codegen/split_codegen.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "compiler/hip/jobs/frontend_job.h"
#include "compiler/hip/jobs/link_jobs.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Argument;
using compiler::Cc1Role;

// Only the front end needs options for macros, warnings and device libraries: the bitcode holds their result. A back
// end that prints something is not used, so the look of its messages does not matter.
bool is_of_front(const Cc1Argument& argument) {
  return is_of_text(argument.role) || argument.role == Cc1Role::device_library || argument.role == Cc1Role::look;
}

// The front end links the device libraries, because clang 15 would otherwise link them at another stage. It also writes
// use-list orders, on which optimisations depend.
StepCommand front_command(const FrontendJob& job, const SplitCodegenNames& names) {
  StepCommand command = frontend_command(job, {names.bitcode, names.beside, ""});
  for (const Cc1Argument& argument : job.arguments)
    if (argument.role == Cc1Role::emits) command.argv[kBeforeArguments + argument.first] = "-emit-llvm-bc";
  const std::array more{"-disable-llvm-passes", "-emit-llvm-uselists"};
  command.argv.insert(command.argv.begin() + kBeforeArguments, more.begin(), more.end());
  return command;
}

// Enables all warnings, because a pragma of the source may ask for one that the command line does not. If the back end
// then prints anything, the step runs in one process instead.
StepCommand back_command(const FrontendJob& job, const SplitCodegenNames& names) {
  StepCommand command = frontend_command(job, {names.object, names.beside, ""});
  for (const Cc1Argument& argument : job.arguments) {
    std::string& last = command.argv[kBeforeArguments + argument.first + argument.count - 1];
    if (argument.role == Cc1Role::language) last = "ir";
    if (argument.role == Cc1Role::source) last = names.bitcode;
  }
  command.argv = without(std::move(command.argv), job, is_of_front);
  command.argv.emplace_back("-Weverything");
  return command;
}

// Runs all three by one start of the compiler (src/trace/preload/then.c). REQUIRES: the first two run the same program,
// and `last` is the linker's.
StepCommand in_one_start(const StepCommand& first, const StepCommand& second, const StepCommand& last) {
  StepCommand all = first;
  all.argv.emplace_back(kThen);
  all.argv.insert(all.argv.end(), second.argv.begin(), second.argv.end());
  all.argv.insert(all.argv.end(), {kThen, last.program});
  all.argv.insert(all.argv.end(), last.argv.begin(), last.argv.end());
  return all;
}

}  // namespace

StepCommand in_one_start(const std::vector<StepCommand>& commands) {
  StepCommand all{commands.front().program, {}};
  for (const StepCommand& command : commands) {
    all.argv.insert(all.argv.end(), command.argv.begin(), command.argv.end());
    all.argv.emplace_back(kThen);
  }
  return all;
}

SplitCodegen split_codegen_commands(const DeviceJobs& device, const SplitCodegenNames& names) {
  SplitCodegen split_codegen;
  split_codegen.front = front_command(device.compile, names);
  split_codegen.back = {back_command(device.compile, names),
                        link_command(*device.link, {names.object}, names.code_object)};
  split_codegen.both = in_one_start(split_codegen.front, split_codegen.back[0], split_codegen.back[1]);
  return split_codegen;
}

namespace {

// At -O0, clang 19 makes different objects from the bitcode and from the source. Other levels (-Og, -O4) are untested.
constexpr std::string_view kOptimized = " 1 2 3 s z ";

// Compares the word, and the word up to its value ("-std=" of "-std=c++17").
bool is_same_for_both(std::string_view word) {
  const std::string_view option = word.substr(0, word.find('=') + 1);
  return compiler::option_has(word, compiler::facts::same_for_both) ||
         compiler::option_has(option, compiler::facts::same_for_both);
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
  return split_codegen_commands(device, names);
}

}  // namespace hipcache::hip
