#include "inputs/observe/program_questions.h"

#include <algorithm>
#include <string>

#include "hipcache/base/files.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;
using trace::Record;

constexpr const char* kPath = "PATH";

bool asks_for_path(const trace::Trace& trace) {
  return std::any_of(trace.records.begin(), trace.records.end(),
                     [](const Record& record) { return record.kind == Kind::variable && record.text == kPath; });
}

}  // namespace

void add_program_questions(const trace::Trace& trace, const RunContext& from, std::vector<Observation>& out) {
  if (!asks_for_path(trace)) return;
  const std::vector<std::string> directories = from.program_directories();
  // No directory was searched, so the trace cannot show which programs another PATH would find.
  if (directories.empty()) return out.push_back({Question::variable, kPath});
  const std::string first = normal_spelling(directories.front());
  for (const Record& record : trace.records) {
    if (record.kind != Kind::look && record.kind != Kind::open_read) continue;
    const std::string path = normal_spelling(join_path(from.working_directory, record.text));
    if (directory_name(path) == first) out.push_back({Question::program, std::string(base_name(path))});
  }
}

}  // namespace hipcache::inputs
