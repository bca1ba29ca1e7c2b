#include "daemon/shared/client_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include "hipcache/base/process_status.h"

namespace hipcache::daemon {

pid_t peer_process(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

bool is_stopped(pid_t process) {
  const std::optional<ProcessStatus> status = process_status(process);
  return status && status->state == 'T';
}

void wake(int event_fd) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event_fd, &one, sizeof one);
}

}  // namespace hipcache::daemon
