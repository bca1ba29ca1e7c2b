// Whether the user's compilers are what they seem, and whether their compiles become hits.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_COMPILERS_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_COMPILERS_H

#include "cli/doctor/examination.h"

namespace hipcache::cli {

// Compiles with the compiler that was given, else with each that is found (find_compilers.h). Asks the shared caches by
// these compiles. REQUIRES: check_programs has run.
void check_compilers(Examination& examination);

}  // namespace hipcache::cli

#endif
