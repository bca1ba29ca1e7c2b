// Whether the programs of the installation are there and of one version.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_PROGRAMS_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_PROGRAMS_H

#include "cli/doctor/examination.h"

namespace hipcache::cli {

// Sets `hipcache`.
void check_programs(Examination& examination);

}  // namespace hipcache::cli

#endif
