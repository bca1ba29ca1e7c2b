// --export and --import: connects to the daemon, and becomes hipcache-archive (src/remote/archive).
#ifndef HIPCACHE_SRC_CLI_TRANSFER_H
#define HIPCACHE_SRC_CLI_TRANSFER_H

#include "cli/control/control.h"
#include "cli/options/options.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::cli {

// Returns only if it fails.
Error transfer(const Control& control, const Options& options, const config::Settings& settings);

}  // namespace hipcache::cli

#endif
