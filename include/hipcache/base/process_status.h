// What /proc says of a process.
//
// Errors: nothing, for a process that has ended or that another user hides.
#ifndef HIPCACHE_BASE_PROCESS_STATUS_H
#define HIPCACHE_BASE_PROCESS_STATUS_H

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace hipcache {

struct ProcessStatus {
  std::string name;  // the program's, cut to 15 bytes by the kernel
  char state = ' ';  // 'T': stopped
  pid_t parent = 0;
  std::uint64_t started = 0;  // clock ticks after boot: tells a process from a later one of its number
};

std::optional<ProcessStatus> process_status(pid_t process);

}  // namespace hipcache

#endif
