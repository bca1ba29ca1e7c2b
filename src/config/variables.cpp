#include "hipcache/config/variables.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "config/keys.h"
#include "hipcache/base/nearest.h"

namespace hipcache::config {
namespace {

constexpr std::string_view kPrefix = "HIPCACHE_";
constexpr std::size_t kMost = 16;  // unknown variables that are told; an environment may hold any number

// Without the prefix, so that its length does not excuse mistakes.
const std::vector<std::string>& known_names() {
  static const std::vector<std::string> kKnown = [] {
    std::vector<std::string> names{"DIR", "CONFIG"};
    for (const Key& key : keys()) names.push_back(variable_of(key.name).substr(kPrefix.size()));
    return names;
  }();
  return kKnown;
}

// hipcache sets this one for the trace library, and a compiler may run hipcache.
bool is_internal(std::string_view name) { return name == "TRACE"; }

}  // namespace

std::vector<UnknownVariable> unknown_variables(const std::vector<std::string>& environment) {
  const std::vector<std::string>& known = known_names();
  std::vector<UnknownVariable> unknown;
  for (const std::string& entry : environment) {
    if (!entry.starts_with(kPrefix) || unknown.size() == kMost) continue;
    const std::string name = entry.substr(kPrefix.size(), entry.find('=') - kPrefix.size());
    if (is_internal(name) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = nearest(name, known);
    unknown.push_back({std::string(kPrefix) + name, meant.empty() ? "" : std::string(kPrefix) + meant});
  }
  return unknown;
}

std::optional<std::string> missing_file(const Lookup& variable) {
  if (variable("HIPCACHE_CONFIG").value_or("").empty()) return std::nullopt;
  const Result<Settings> located = locate(variable);
  if (!located || access(located->file.c_str(), F_OK) == 0) return std::nullopt;
  return errno == ENOENT || errno == ENOTDIR ? std::optional(located->file) : std::nullopt;
}

}  // namespace hipcache::config
