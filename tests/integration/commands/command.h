// What lines and cases have in common: a table's command for one compiler, the steps that ran, names by pattern.
#ifndef HIPCACHE_TESTS_INTEGRATION_COMMANDS_COMMAND_H
#define HIPCACHE_TESTS_INTEGRATION_COMMANDS_COMMAND_H

#include <optional>
#include <set>
#include <string>

#include "integration/commands/table.h"
#include "integration/support/cache.h"
#include "integration/support/tree.h"

namespace hipcache::integration {

// The command for the compiler, with {dir} as the directory. The first word may name a driver, as the READMEs say.
Arguments command_of(const std::string& run, const std::string& directory, Driver driver);

// The steps that ran, as often as they did; a device step by its arch. Not: proofs, and the parts of a device step.
std::multiset<std::string> counted_steps(const Counts& counted);

// The pattern that the name matches, if any.
std::optional<std::string> pattern_of(const std::string& name, const std::set<std::string>& patterns);

// The files' names, or instead the patterns that they match.
std::set<std::string> names_of(const Files& files, const std::set<std::string>& patterns);

}  // namespace hipcache::integration

#endif
