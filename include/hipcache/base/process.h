// Runs a program as a child of this process. The child has our process group, terminal and limits,
// so that Ctrl-C and job control reach it. Uses Boost.Process v1, whose types stay in the source
// file.
#ifndef HIPCACHE_BASE_PROCESS_H
#define HIPCACHE_BASE_PROCESS_H

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache {

struct SpawnRequest {
  std::string program;                   // a path; PATH is not searched
  std::vector<std::string> argv;         // argv[0] included
  std::vector<std::string> environment;  // NAME=value; the complete environment
  int stdin_fd = -1;                     // -1: inherited
  int stdout_fd = -1;
  int stderr_fd = -1;
  // The descriptors above 2 that the program inherits. Absent: every one that this process did not
  // open itself.
  std::optional<std::vector<int>> other_fds;
  // Signals that are blocked in the program; absent: those blocked in the calling thread.
  std::optional<sigset_t> signal_mask;
  // SIGKILL when the calling thread ends, so that no orphan compile runs on.
  bool die_with_parent = true;
};

// Starts the program. Errors of exec ("no such file") are returned here and not at the wait.
Result<pid_t> spawn(const SpawnRequest& request);

// How a child ended. If a signal ended it, `exit_code` is 128 + signal, as in a shell; else
// `signal` is 0.
struct ExitStatus {
  int exit_code = 0;
  int signal = 0;
  std::uint64_t processor_us = 0;  // of the child and of the children that it waited for
  std::uint64_t peak_bytes = 0;    // the most memory that one of these had at once
};

// Waits for the child of this process. REQUIRES: nobody else waits for it.
Result<ExitStatus> wait_for(pid_t pid);

// The absolute path of the program that execvp would run. Searches `path_variable` as a shell does;
// an empty entry means `directory`.
Result<std::string> find_program(const std::string& name, const std::string& path_variable,
                                 const std::string& directory);

}  // namespace hipcache

#endif
