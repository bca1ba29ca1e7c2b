#include <algorithm>
#include <array>
#include <string_view>

#include "daemon/explain/argument_changes.h"
#include "hipcache/compiler/hip/fatbin_splice.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::daemon {
namespace {

constexpr std::string_view kTargets = "-targets=";

// Whether the word's value is the next word. Where the table lacks the option, the two are shown as two arguments.
bool takes_value(std::string_view word) {
  return word.starts_with("-Xarch_") ||
         compiler::option_has(word, compiler::facts::takes_next | compiler::facts::job_takes_next);
}

// "<output>", "-input=<device>", and the fatbin's placeholder.
bool is_placeholder(std::string_view word) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"<bundle>", "<code object>", "<device>", "<fatbin>", "<host>", "<object>",
                                       "<output>", "<package>", "<part>", "<program>", "<source>"});
  if (word == hip::kPlaceholderFatbin) return true;
  const auto is_there = [&](std::string_view name) { return word == name || word.ends_with("=" + std::string(name)); };
  return word.ends_with('>') && std::any_of(kNames.begin(), kNames.end(), is_there);
}

void add_targets(std::string_view list, std::vector<std::string>& units) {
  for (;;) {
    const std::size_t comma = list.find(',');
    units.push_back(std::string(kTargets).append(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<std::string> units_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> units;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (is_placeholder(word)) continue;
    if (word.starts_with(kTargets)) {
      add_targets(std::string_view(word).substr(kTargets.size()), units);
    } else if (takes_value(word) && i + 1 < arguments.size()) {
      const std::string& value = arguments[++i];
      if (!is_placeholder(value)) units.push_back(word + " " + (value.empty() ? "\"\"" : value));
    } else {
      units.push_back(word.empty() ? "\"\"" : word);
    }
  }
  return units;
}

}  // namespace hipcache::daemon
