// Reads the TOML file: its top-level keys as texts, in the form that the environment variables
// have.
#ifndef HIPCACHE_SRC_CONFIG_FILE_H
#define HIPCACHE_SRC_CONFIG_FILE_H

#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::config {

using FileEntries = std::vector<std::pair<std::string, std::string>>;

// A missing file gives no entries. Errors name the file and, if known, the line.
Result<FileEntries> read_entries(const std::string& path);

}  // namespace hipcache::config

#endif
