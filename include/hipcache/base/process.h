// Running a program as a child of this one: same process group, terminal and limits as ours, so that Ctrl-C and job
// control reach it. Over Boost.Process v2, whose types stay in the source file.
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
  std::vector<std::string> environment;  // NAME=value, the whole of it
  int stdin_fd = -1;                     // -1: inherited
  int stdout_fd = -1;
  int stderr_fd = -1;
  // The descriptors above 2 that the program inherits; absent: all that this process did not open for itself.
  std::optional<std::vector<int>> other_fds;
  std::optional<sigset_t> signal_mask;  // signals that the program is to hold back; absent: as the calling thread does
  bool die_with_parent = true;          // SIGKILL when the calling thread ends: no orphan compiles on
};

// Starts the program. Errors of exec ("no such file") are returned here, not found out by waiting.
Result<pid_t> spawn(const SpawnRequest& request);

// How a child ended. `signal` is 0 unless a signal ended it, and then `exit_code` is 128 + signal, as a shell has it.
struct ExitStatus {
  int exit_code = 0;
  int signal = 0;
  std::uint64_t processor_us = 0;  // of the child and of those that it waited for
};

// Waits for the child of this process. REQUIRES: nobody else waits for it.
Result<ExitStatus> wait_for(pid_t pid);

// The absolute path of what execvp would run, looked for in `path_variable` as a shell does ("" entries mean
// `directory`).
Result<std::string> find_program(const std::string& name, const std::string& path_variable,
                                 const std::string& directory);

}  // namespace hipcache

#endif
