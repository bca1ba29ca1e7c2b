#include "daemon/shared/client_process.h"

#include <sys/socket.h>

#include <string>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

pid_t peer_process(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

// The format is "PID (NAME) STATE ...", and the name may hold any character.
bool is_stopped(pid_t process) {
  constexpr std::uint64_t kLimit = 4096;
  if (process <= 0) return false;
  const Result<std::string> status = read_file("/proc/" + std::to_string(process) + "/stat", kLimit);
  if (!status) return false;
  const std::size_t name_end = status->rfind(')');
  return name_end != std::string::npos && status->substr(name_end + 1, 2) == " T";
}

}  // namespace hipcache::daemon
