#include "inputs/search.h"

#include <algorithm>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "inputs/places.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;
using trace::Record;

constexpr const char* kPath = "PATH";

// Without empty entries: LLVM skips them.
std::vector<std::string> directories_of(const Surroundings& from) {
  std::vector<std::string> directories;
  const char* value = from.variable(kPath);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end != 0) directories.push_back(join_path(from.working_directory, rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return directories;
}

bool asks_for_path(const trace::Trace& trace) {
  return std::any_of(trace.records.begin(), trace.records.end(),
                     [](const Record& record) { return record.kind == Kind::variable && record.text == kPath; });
}

}  // namespace

void add_search_questions(const trace::Trace& trace, const Surroundings& from, std::vector<Observation>& out) {
  if (!asks_for_path(trace)) return;
  const std::vector<std::string> directories = directories_of(from);
  // Nothing was looked for anywhere: what would be looked for along another PATH cannot be seen.
  if (directories.empty()) return out.push_back({Question::variable, kPath});
  const std::string first = normal_spelling(directories.front());
  for (const Record& record : trace.records) {
    if (record.kind != Kind::look && record.kind != Kind::open_read) continue;
    const std::string path = normal_spelling(join_path(from.working_directory, record.text));
    if (directory_name(path) == first) out.push_back({Question::program, std::string(base_name(path))});
  }
}

std::string found_on_path(const std::string& name, const Surroundings& from, Effort& effort) {
  for (const std::string& directory : directories_of(from)) {
    ++effort.stats;
    if (Result<std::string> program = find_program(join_path(directory, name), "", "/")) return *program;
  }
  return "";
}

}  // namespace hipcache::inputs
