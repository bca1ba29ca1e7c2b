// Whether the daemon runs or starts, and whether it uses the user's settings.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_DAEMON_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_DAEMON_H

#include "cli/doctor/examination.h"

namespace hipcache::cli {

// Starts the daemon if none runs, as the next compile would. Sets `store_bytes`.
// REQUIRES: check_programs and check_directory have run.
void check_daemon(Examination& examination);

}  // namespace hipcache::cli

#endif
