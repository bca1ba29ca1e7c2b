// hipcache --watch: what the daemon does, once a second.
#ifndef HIPCACHE_SRC_CLI_SHOW_WATCH_H
#define HIPCACHE_SRC_CLI_SHOW_WATCH_H

#include <string>

#include "cli/control/control.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::cli {

// Starts the daemon if none runs. On a terminal the view is drawn anew in its place; elsewhere each second has a line.
// Returns after SIGINT, SIGTERM or SIGHUP with the last line, or with an error if the daemon has ended. The signals
// stay blocked.
Result<std::string> watch(const Control& control, const config::Settings& settings);

}  // namespace hipcache::cli

#endif
