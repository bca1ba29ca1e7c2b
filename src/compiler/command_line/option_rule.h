// A line of a table that says which options make a command uncacheable, and why.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_OPTION_RULE_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_OPTION_RULE_H

#include <initializer_list>
#include <string_view>

#include "hipcache/base/text.h"

namespace hipcache::compiler {

// A table of rules is a C array of braces. Where a rule is named, as in a std::array, clang lets what its lists point
// to die with the initializer. constexpr would show it, but g++ 12 does not take lists of texts there.
struct OptionRule {
  const char* reason;
  std::initializer_list<std::string_view> exact;
  std::initializer_list<std::string_view> prefixes;
};

// The reason of the first rule that has the option; null if none has it.
template <typename Rules>
const char* refusal_by(const Rules& rules, std::string_view option) {
  for (const OptionRule& rule : rules)
    if (holds(rule.exact, option) || holds_prefix_of(rule.prefixes, option)) return rule.reason;
  return nullptr;
}

}  // namespace hipcache::compiler

#endif
