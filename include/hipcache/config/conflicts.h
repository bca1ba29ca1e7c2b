// Finds settings that are valid one by one and do not do what the user expects: settings that undo
// each other, and paths that lead nowhere. Reads the state of files, but not their contents.
#ifndef HIPCACHE_CONFIG_CONFLICTS_H
#define HIPCACHE_CONFIG_CONFLICTS_H

#include <string>
#include <vector>

#include "hipcache/config/settings.h"

namespace hipcache::config {

struct Conflict {
  bool is_mistake = false;  // false: the setting does what it says, and users forget that it is set
  std::string text;         // one line, with the remedy
};

std::vector<Conflict> conflicts(const Settings& settings);

}  // namespace hipcache::config

#endif
