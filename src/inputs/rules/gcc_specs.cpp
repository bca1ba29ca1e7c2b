#include "inputs/rules/gcc_specs.h"

#include "hipcache/base/files.h"
#include "inputs/rules/environment.h"
#include "inputs/rules/variable_use.h"

namespace hipcache::inputs {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Calls `take` with what follows each `what`: without leading space, up to one of `ends`.
template <typename Take>
void each_after(std::string_view text, std::string_view what, const char* ends, Take take) {
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) {
    const auto begin = text.find_first_not_of(kSpace, at + what.size());
    if (begin == std::string_view::npos) return;
    take(text.substr(begin, text.find_first_of(ends, begin) - begin));
  }
}

// Whether a run may ask for the variable without its value becoming an input.
bool may_be_no_input(std::string_view variable) {
  return is_left_out(variable) || may_go_unused(variable) || variable == "LD_PRELOAD";
}

}  // namespace

std::string asked_in_vain(std::string_view specs) {
  std::string found;
  each_after(specs, "getenv(", " \t\r\n)", [&](std::string_view variable) {
    if (found.empty() && may_be_no_input(variable)) found = variable;
  });
  return found;
}

std::set<std::string> included_by(std::string_view specs) {
  std::set<std::string> names;
  for (const std::string_view directive : {"%include <", "%include_noerr <"})
    each_after(specs, directive, ">\n", [&](std::string_view name) { names.emplace(base_name(name)); });
  return names;
}

}  // namespace hipcache::inputs
