// Whether the shared caches answer, and how fast.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_TIERS_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_TIERS_H

#include "cli/doctor/findings.h"
#include "cli/doctor/trial/trial.h"
#include "hipcache/config/settings.h"
#include "hipcache/stats/counters.h"

namespace hipcache::cli {

// REQUIRES: a compile ran in the trial. Its look-ups asked each tier that may be read.
void check_tiers(const Trial& trial, const config::Settings& settings, Findings& findings);

// What the statistics say about one tier.
Finding finding_on(const stats::Tier& tier);

}  // namespace hipcache::cli

#endif
