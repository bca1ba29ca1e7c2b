// hipcache-remote: asks shared caches for the daemon, which starts it with a socket as standard input.
//
// A process of its own, so that a daemon without shared caches carries no network library, and one with them survives
// their faults.
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "hipcache/protocol/channel.h"
#include "remote/service/service.h"

namespace {

constexpr int kArenas = 2;  // of malloc: with one per thread, memory from bursts would stay allocated

bool is_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

}  // namespace

int main() {
  if (!is_socket(STDIN_FILENO)) {
    std::fprintf(stderr, "hipcache-remote: error: hipcached starts this program when it needs it\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // hiredis sends to closed connections
  std::signal(SIGXFSZ, SIG_IGN);
  mallopt(M_ARENA_MAX, kArenas);
  hipcache::protocol::Channel channel(hipcache::UniqueFd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
  hipcache::remote::Service service(channel);
  service.run();
  _exit(0);  // calls to servers may still run
}
