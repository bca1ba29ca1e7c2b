#include "hipcache/inputs/run_context.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

}  // namespace

// Sorts by name, not by line: by line "A.B=" sorts before "A=". Stable, because getenv returns the first of equal
// names. Every request sorts, so each name is cut out once and each entry moved once.
void sort_environment(std::vector<std::string>& environment) {
  std::vector<std::pair<std::string_view, std::size_t>> order;
  order.reserve(environment.size());
  for (const std::string& entry : environment) order.emplace_back(name_of(entry), order.size());
  std::sort(order.begin(), order.end());
  std::vector<std::string> sorted;
  sorted.reserve(environment.size());
  for (const auto& [name, at] : order) sorted.push_back(std::move(environment[at]));
  environment = std::move(sorted);
}

const char* RunContext::variable(std::string_view name) const {
  auto at = std::lower_bound(environment.begin(), environment.end(), name,
                             [](const std::string& entry, std::string_view wanted) { return name_of(entry) < wanted; });
  if (at == environment.end() || name_of(*at) != name || at->size() == name.size()) return nullptr;
  return at->c_str() + name.size() + 1;
}

std::string RunContext::path_of(const std::string& name) const {
  const std::string local = roots.local_path(name);
  return local.empty() ? local : join_path(working_directory, local);
}

std::string RunContext::source_date() const {
  constexpr std::uint64_t kLast = 253'402'300'799;
  constexpr std::size_t kDigits = 12;
  const char* value = variable("SOURCE_DATE_EPOCH");
  const std::string date = value == nullptr ? "" : value;
  const bool is_number = !date.empty() && date.size() <= kDigits && date.find_first_not_of("0123456789") == date.npos;
  return is_number && std::stoull(date) <= kLast ? date : "";
}

// A name is a stream's number, that and " size", or "1=2".
std::string RunContext::of_terminal(std::string_view question) const {
  if (question.empty()) return "";
  if (question == "1=2") return streams.ends_with('=') ? "one" : "";
  std::string_view rest = streams;
  for (char stream = '0'; stream < question.front() && !rest.empty(); ++stream)
    rest.remove_prefix(rest.find(',') == std::string_view::npos ? rest.size() : rest.find(',') + 1);
  const std::string_view field = rest.substr(0, rest.find_first_of(",="));
  if (field.empty()) return "";
  return question.ends_with("size") ? std::string(field) : "terminal";
}

std::string RunContext::logical_directory() const {
  const char* pwd = pwd_leads_here ? variable("PWD") : nullptr;
  return pwd != nullptr && pwd[0] == '/' ? pwd : working_directory;
}

std::vector<std::string> RunContext::program_directories() const {
  std::vector<std::string> directories;
  const char* value = variable("PATH");
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end != 0) directories.push_back(join_path(working_directory, rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return directories;
}

}  // namespace hipcache::inputs
