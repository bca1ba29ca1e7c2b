// Whether the user's compilers are what they seem, and whether their compiles become hits.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_COMPILERS_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_COMPILERS_H

#include "cli/doctor/findings.h"
#include "cli/doctor/trial/trial.h"
#include "hipcache/config/settings.h"
#include "hipcache/stats/counters.h"

namespace hipcache::cli {

// Whether the shared caches answer, and how fast.

// REQUIRES: a compile ran in the trial. Its look-ups asked each tier that may be read.
void check_tiers(const Trial& trial, const config::Settings& settings, Findings& findings);

// What the statistics say about one tier.
Finding finding_on(const stats::Tier& tier);

// Compiles with the compiler that was given, else with each that is found (find_compilers.h). Asks the shared caches by
// these compiles. Sets `hip_compiler`. REQUIRES: check_programs has run.
void check_compilers(Examination& examination);

}  // namespace hipcache::cli

#endif
