#ifndef HIPCACHE_SRC_CLI_SHOW_SHOW_CONFIG_H
#define HIPCACHE_SRC_CLI_SHOW_SHOW_CONFIG_H

#include <string>

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::cli {

// One line "key = value  (origin)" per setting, or a JSON object that maps each key to {"value",
// "origin"}.
Result<std::string> show_config(const config::Lookup& variable, bool json);

}  // namespace hipcache::cli

#endif
