// Finds variables that look like hipcache's and are not. Without this check a misspelt variable
// would silently do nothing. Pure functions, except missing_file().
#ifndef HIPCACHE_CONFIG_VARIABLES_H
#define HIPCACHE_CONFIG_VARIABLES_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/config/settings.h"

namespace hipcache::config {

struct UnknownVariable {
  std::string name;
  std::string nearest;  // a variable of hipcache that may be meant; empty: none is near
};

// The variables of the environment (NAME=value) that begin with HIPCACHE_ and are unknown. Scripts
// have variables of their own with that prefix, so only those with a near name are mistakes.
std::vector<UnknownVariable> unknown_variables(const std::vector<std::string>& environment);

// The file that HIPCACHE_CONFIG names, if it does not exist.
std::optional<std::string> missing_file(const Lookup& variable);

}  // namespace hipcache::config

#endif
