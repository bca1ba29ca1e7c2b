// Waits for the end of a process that is no child, by a descriptor where the kernel has one.
//
// Linux before 5.3 has no pidfd_open, and a container may forbid it. There the process is told by its number and the
// time of its start, and looked at again and again.
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_PROCESS_WATCH_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_PROCESS_WATCH_H

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "hipcache/base/files.h"

namespace hipcache::client {

class ProcessWatch {
 public:
  ProcessWatch() = default;  // of no process, which counts as ended
  explicit ProcessWatch(pid_t pid);

  // Whether there was such a process.
  explicit operator bool() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  // Readable when the process has ended; -1 if the kernel has no such descriptor.
  int fd() const { return fd_.get(); }

  bool ended_within(std::chrono::milliseconds limit) const;

  // False if the process is gone.
  bool send(int signal) const;

 private:
  bool has_ended() const;

  pid_t pid_ = 0;
  UniqueFd fd_;
  std::uint64_t start_ = 0;  // without a descriptor
};

}  // namespace hipcache::client

#endif
