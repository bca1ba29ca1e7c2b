// hipcache --doctor: checks the installation and the user's surroundings, and says for each finding
// what to do.
//
// The checks use hipcache as a user would: by its programs. They change nothing in the user's cache
// and statistics; they start the daemon, as the next compile would.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_DOCTOR_H
#define HIPCACHE_SRC_CLI_DOCTOR_DOCTOR_H

#include <functional>
#include <string>

#include "cli/doctor/trial/trial.h"

namespace hipcache::cli {

// Runs all checks. `say` gets each line as soon as its check has ended. Returns whether no error was
// found. `compiler`: a compiler and its options, or empty.
bool examine(const Words& compiler, const std::function<void(const std::string&)>& say);

}  // namespace hipcache::cli

#endif
