// Whether the settings are valid, known, and do what the user expects.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_SETTINGS_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_SETTINGS_H

#include "cli/doctor/examination.h"

namespace hipcache::cli {

void check_settings(Examination& examination);

}  // namespace hipcache::cli

#endif
