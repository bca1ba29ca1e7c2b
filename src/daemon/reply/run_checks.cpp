#include "daemon/reply/run_checks.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/record/crash_report.h"
#include "daemon/request/output_checks.h"
#include "daemon/request/reason.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

// The name of a file that a step left in the directory unexpectedly, or "".
Result<std::string> unexpected_file(const StepGraph& graph, const RequestDirectory& directory) {
  std::set<std::string> known;
  for (const auto& step : graph.steps()) add_files_of(step->spec(), directory, known);
  for (const auto& step : graph.replaced()) add_files_of(step->spec(), directory, known);
  return directory.lost_file(known);
}

// The name of a file that a step wrote elsewhere, or "". The compiler by itself runs its jobs one after the other, so
// the last one's file would remain.
std::string file_elsewhere(const StepGraph& graph) {
  for (const auto& step : graph.steps())
    if (!step->hit && step->result.refusal == "writes-elsewhere") return step->result.refusal_detail;
  return "";
}

// The depfile is written at the end, so no step may have read it.
bool reads_depfile(const StepGraph& graph, const Request& request) {
  if (!request.invocation.depfile) return false;
  const std::string depfile = join_path(request.from.working_directory, *request.invocation.depfile);
  const auto is_depfile = [&](const inputs::Observation& seen) {
    return inputs::asks_about_content(seen.question) && base_name(seen.name) == base_name(depfile) &&
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
  for (const auto& step : graph.steps())
    if (const auto& why = step->result.unusable) return Uncacheable{why->reason, why->detail};
  const Result<std::string> left = unexpected_file(graph, context.directory);
  if (!left) return Uncacheable{reason::kNoTemporaryDirectory, left.error().message};
  if (!left->empty()) return Uncacheable{reason::kWritesMoreThanKnown, *left};
  if (const std::string name = file_elsewhere(graph); !name.empty())
    return Uncacheable{reason::kWritesMoreThanKnown, name};
  if (reads_depfile(graph, context.request))
    return Uncacheable{reason::kDepfileIsAnotherFile, *context.request.invocation.depfile};
  for (const auto& step : graph.steps())
    if (!step->result.descriptor.empty()) return Uncacheable{compiler::reason::kStandardInput, step->result.descriptor};
  return std::nullopt;
}

bool loses_files(const Uncacheable& why, const StepState& step) {
  const bool is_lost = why.reason == reason::kWritesMoreThanKnown || why.reason == reason::kNamesTemporaryFiles;
  return is_lost && step.succeeded() && !holds_crash_report(step.result.stderr_text);
}

bool loses_files(const Uncacheable& why, const StepGraph& graph) {
  return std::all_of(graph.steps().begin(), graph.steps().end(),
                     [&](const auto& step) { return loses_files(why, *step); });
}

}  // namespace hipcache::daemon
