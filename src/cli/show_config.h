#ifndef HIPCACHE_SRC_CLI_SHOW_CONFIG_H
#define HIPCACHE_SRC_CLI_SHOW_CONFIG_H

#include <string>

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::cli {

// A line "key = value  (origin)" per setting, or a JSON object of {"value", "origin"} by key.
Result<std::string> show_config(const config::Lookup& variable, bool json);

}  // namespace hipcache::cli

#endif
