#include "daemon/events/names_typed.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hipcache::daemon {
namespace {

constexpr std::array<std::string_view, 11> kSources{".c",  ".cc", ".cpp", ".cxx", ".C", ".hip",
                                                    ".cu", ".m",  ".mm",  ".s",   ".S"};

bool is_source(std::string_view word) {
  return !word.starts_with('-') &&
         std::any_of(kSources.begin(), kSources.end(), [&](std::string_view ending) { return word.ends_with(ending); });
}

}  // namespace

NamesTyped names_typed(const std::vector<std::string>& argv) {
  NamesTyped names;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    if (word == "-o" && i + 1 < argv.size())
      names.object = argv[++i];
    else if (word.starts_with("-o") && word.size() > 2)
      names.object = word.substr(2);
    else if (names.source.empty() && is_source(word))
      names.source = word;
  }
  return names;
}

}  // namespace hipcache::daemon
