#include "compiler/hip/codegen/split_codegen_commands.h"

#include <array>
#include <utility>

#include "compiler/hip/jobs/device_job.h"
#include "compiler/hip/jobs/frontend_job.h"

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

}  // namespace

StepCommand in_one_start(const StepCommand& first, const StepCommand& second, const StepCommand& last) {
  StepCommand all = first;
  all.argv.emplace_back(kThen);
  all.argv.insert(all.argv.end(), second.argv.begin(), second.argv.end());
  all.argv.insert(all.argv.end(), {kThen, last.program});
  all.argv.insert(all.argv.end(), last.argv.begin(), last.argv.end());
  return all;
}

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

}  // namespace hipcache::hip
