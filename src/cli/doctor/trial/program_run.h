// Runs a program to its end and keeps what it prints.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_TRIAL_PROGRAM_RUN_H
#define HIPCACHE_SRC_CLI_DOCTOR_TRIAL_PROGRAM_RUN_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::cli {

using Words = std::vector<std::string>;

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Without standard input. An error if the program cannot be started. REQUIRES: argv[0] is a path.
Result<Ran> run_program(const Words& argv, const Words& environment);

// This process's environment.
Words own_environment();

// The path of a program of ours. `way`: from the directory of the helpers, where this one lies (HipcacheLayout.cmake).
Result<std::string> installed_program(const char* way);

// Without the line break at its end.
std::string first_line(const std::string& text);
// The first line that has "error" in it, else the first one: what a compiler or linker fails with.
std::string first_error(const std::string& text);

}  // namespace hipcache::cli

#endif
