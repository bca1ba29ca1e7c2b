#include <algorithm>
#include <array>
#include <string_view>

#include "hipcache/compiler/cc1.h"

namespace hipcache::compiler {
namespace {

// LLVM has thousands of backend options and no public table of them. Options that print, write or
// load have one of these words in their names. A false match only means that the compile is not
// cached.
constexpr std::array kLoudWords = {
    "print",  "printing", "debug",  "debugify", "stats",   "stat",   "statistics", "time",       "timer",   "timing",
    "trace",  "tracing",  "dot",    "view",     "dump",    "report", "output",     "file",       "files",   "filename",
    "path",   "dir",      "export", "save",     "write",   "log",    "record",     "remark",     "remarks", "bisect",
    "json",   "html",     "graph",  "plugin",   "plugins", "yaml",   "emit",       "reproducer", "track",   "seed",
    "random", "rng",      "cache",  "verbose",  "summary", "info"};

// Refused as a complete name, harmless in compounds: "-load" against
// "-amdgpu-load-store-vectorizer".
constexpr std::array kLoudAlone = {"load", "help", "version", "o"};

template <typename List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool is_quiet_backend_option(const std::string& option) {
  std::string_view name = option;
  if (name.empty() || name[0] != '-') return false;
  name.remove_prefix(name.starts_with("--") ? 2 : 1);
  name = name.substr(0, name.find('='));
  if (name.empty()) return false;
  if (contains(kLoudAlone, name)) return false;
  while (!name.empty()) {
    const auto end = name.find_first_of("-_");
    const std::string_view word = name.substr(0, end);
    if (contains(kLoudWords, word)) return false;
    name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
  }
  return true;
}

}  // namespace hipcache::compiler
