#include "inputs/state/search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "hipcache/base/files.h"
#include "inputs/observe/path_class.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;
using trace::Record;

constexpr const char* kPath = "PATH";

// PATH's directories. Empty entries are skipped, as LLVM skips them.
std::vector<std::string> directories_of(const RunContext& from) {
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

bool is_program(const std::string& path, const PathStat& seen, Effort& effort) {
  if (!seen.is_file() || (seen.mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0) return false;
  ++effort.stats;
  return ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

void add_search_questions(const trace::Trace& trace, const RunContext& from, std::vector<Observation>& out) {
  if (!asks_for_path(trace)) return;
  const std::vector<std::string> directories = directories_of(from);
  // No directory was searched, so the trace cannot show which programs another PATH would find.
  if (directories.empty()) return out.push_back({Question::variable, kPath});
  const std::string first = normal_spelling(directories.front());
  for (const Record& record : trace.records) {
    if (record.kind != Kind::look && record.kind != Kind::open_read) continue;
    const std::string path = normal_spelling(join_path(from.working_directory, record.text));
    if (directory_name(path) == first) out.push_back({Question::program, std::string(base_name(path))});
  }
}

std::vector<std::string> places_on_path(const std::string& program, const RunContext& from) {
  std::vector<std::string> places = directories_of(from);
  for (std::string& place : places) place = join_path(place, program);
  return places;
}

std::string found_on_path(const PathOrder& order, std::uint32_t places, StatSnapshot& glance, Effort& effort) {
  for (std::uint32_t at = places; order.places[at] != Slot::kNone; ++at)
    if (is_program(order.slots[order.places[at]].name->path(), glance.at(order.places[at]), effort))
      return order.slots[order.places[at]].name->path();
  return "";
}

}  // namespace hipcache::inputs
