// The TOML file: its top-level keys as texts, in the form that their variables would have.
#ifndef HIPCACHE_SRC_CONFIG_FILE_H
#define HIPCACHE_SRC_CONFIG_FILE_H

#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::config {

using FileEntries = std::vector<std::pair<std::string, std::string>>;

// No file: no entries. Errors name the file and, where there is one, the line.
Result<FileEntries> read_entries(const std::string& path);

}  // namespace hipcache::config

#endif
