#include "daemon/reply/run_checks.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/request/output_checks.h"
#include "daemon/request/reason.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

// Adds the names below the directory that a command mentions.
void add_names(const std::vector<std::string>& argv, const std::string& directory, std::set<std::string>& names) {
  for (const std::string& argument : argv) {
    const std::size_t at = argument.find(directory + "/");
    if (at == std::string::npos) continue;
    std::string name = argument.substr(at + directory.size() + 1);
    names.insert(std::move(name));
  }
}

// "<number>.trace" and similar: files of the step runner and of the trace library (src/trace/preload/then.c).
bool is_of_the_runner(const std::string& name) {
  const std::size_t dot = name.find_first_not_of("0123456789");
  if (dot == 0 || dot == std::string::npos) return false;
  const std::string ending = name.substr(dot);
  return ending == ".trace" || ending.starts_with(".trace.") || ending == ".stdout" || ending == ".stderr";
}

// The name of a file that a step wrote into the directory unexpectedly, or "".
std::string unexpected_file(const StepGraph& graph, const StepContext& context) {
  const std::string& directory = context.directory.path();
  std::set<std::string> known;
  const auto add_files_of = [&](const StepSpec& spec) {
    for (const protocol::Command& command : spec.commands) add_names(command.argv, directory, known);
    if (spec.split_codegen != nullptr) known.insert(spec.split_codegen->bitcode);
  };
  for (const auto& step : graph.steps()) {
    add_files_of(step->spec());
    for (const hip::StepFile& file : step->spec().planned->files) known.insert(file.name);
    for (const hip::StepOutput& output : step->spec().outputs) known.insert(output.name);
  }
  for (const auto& step : graph.replaced()) add_files_of(step->spec());
  const Result<std::vector<std::string>> names = list_directory(directory);
  if (!names) {
    context.services.log.warning(context.of_object(names.error().message));
    return directory;
  }
  for (const std::string& name : *names)
    if (!known.contains(name) && !is_of_the_runner(name)) return name;
  return "";
}

// The depfile is written at the end, so no step may have read it.
bool reads_depfile(const StepGraph& graph, const Request& request) {
  if (!request.invocation.depfile) return false;
  const std::string depfile = join_path(request.from.working_directory, *request.invocation.depfile);
  const auto is_depfile = [&](const inputs::Observation& seen) {
    return seen.question == inputs::Question::content && base_name(seen.name) == base_name(depfile) &&
           are_one_file(depfile, request.from.path_of(seen.name));
  };
  return std::any_of(graph.steps().begin(), graph.steps().end(), [&](const auto& step) {
    if (!step->recordable()) return false;
    const std::vector<inputs::Observation>& seen = step->result.witnessed.set->observations();
    return std::any_of(seen.begin(), seen.end(), is_depfile);
  });
}

}  // namespace

std::optional<Uncacheable> unusual_run(const StepGraph& graph, const StepContext& context) {
  if (const std::string name = unexpected_file(graph, context); !name.empty())
    return Uncacheable{reason::kWritesMoreThanKnown, name};
  if (reads_depfile(graph, context.request))
    return Uncacheable{reason::kDepfileIsAnotherFile, *context.request.invocation.depfile};
  for (const auto& step : graph.steps())
    if (!step->result.descriptor.empty()) return Uncacheable{compiler::reason::kStandardInput, step->result.descriptor};
  return std::nullopt;
}

}  // namespace hipcache::daemon
