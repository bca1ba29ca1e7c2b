// What of the machine makes compiles through hipcache faster or slower.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_MACHINE_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_MACHINE_H

#include <string>

#include "cli/doctor/examination.h"

namespace hipcache::cli {

void check_machine(Examination& examination);

// "madvise" in "always [madvise] never", the contents of transparent_hugepage/enabled.
std::string chosen_in(const std::string& choices);

}  // namespace hipcache::cli

#endif
