#include "daemon/execute/input_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "daemon/request/request_context.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/cache/miss_history.h"

namespace hipcache::daemon {
namespace {

using namespace std::string_view_literals;
using trace::Kind;

bool is_of_a_path(const trace::Record& record) {
  return record.kind == Kind::open_read || record.kind == Kind::look || record.kind == Kind::list ||
         record.kind == Kind::link || record.kind == Kind::real_path;
}

}  // namespace

void InputNames::add(const inputs::PathSet& set, const inputs::RunContext& from) {
  for (const inputs::Observation& observation : set.observations()) {
    if (observation.question == inputs::Question::variable) variables.insert(observation.name);
    if (!inputs::asks_about_path(observation.question)) continue;
    if (std::string path = from.path_of(observation.name); !path.empty()) paths.insert(std::move(path));
  }
}

void InputNames::add(const std::vector<trace::Record>& records, const std::string& working_directory) {
  for (const trace::Record& record : records) {
    if (record.kind == Kind::variable) variables.insert(record.text);
    if (is_of_a_path(record) && !record.text.empty()) paths.insert(join_path(working_directory, record.text));
  }
}

InputNames names_in_history(const RequestContext& context) {
  InputNames names;
  for (const cache::HistoryEntry& entry : context.services.miss_history.entries(context.history))
    if (entry.observed.set != nullptr) names.add(*entry.observed.set, context.request.from);
  return names;
}

// -Eonly reads all sources and writes nothing. Its depfile would replace the step's own.
std::optional<StepSpec> scan_of(const StepSpec& device) {
  constexpr auto kOutputs = std::to_array({"-emit-obj"sv, "-emit-llvm"sv, "-emit-llvm-bc"sv, "-S"sv});
  constexpr auto kWithValue = std::to_array({"-o"sv, "-dependency-file"sv, "-MT"sv});
  if (device.commands.empty()) return std::nullopt;
  const protocol::Command& command = device.commands.front();
  std::vector<std::string> argv;
  bool is_frontend = false;
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    const std::string& word = command.argv[i];
    if (holds(kWithValue, std::string_view(word))) {
      ++i;
    } else if (holds(kOutputs, std::string_view(word))) {
      is_frontend = argv.size() > 1 && argv[1] == "-cc1";
      argv.emplace_back("-Eonly");
    } else {
      argv.push_back(word);
    }
  }
  if (!is_frontend) return std::nullopt;
  StepSpec scan;
  scan.label = device.label + " scan";
  scan.commands = {{command.program, std::move(argv)}};
  return scan;
}

}  // namespace hipcache::daemon
