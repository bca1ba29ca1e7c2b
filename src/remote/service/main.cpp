// hipcache-remote: asks shared caches for the daemon, which starts it with a socket as standard input.
//
// A process of its own, so that a daemon without shared caches carries no network library, and one with them survives
// their faults. Also prints the public key of a signing key, because few programs of ours link OpenSSL.
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "hipcache/protocol/channel.h"
#include "remote/service/service.h"
#include "remote/trust/signatures.h"

namespace {

constexpr int kArenas = 2;  // of malloc: with one per thread, memory from bursts would stay allocated

bool is_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

int print_public_key(const std::string& path) {
  const hipcache::Result<hipcache::remote::SigningKey> key = hipcache::remote::SigningKey::read(path);
  if (key) return std::puts(hipcache::remote::shown_public_key(path, *key).c_str()) < 0 ? 1 : 0;
  std::fprintf(stderr, "hipcache-remote: error: %s\n", key.error().message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version")
    return std::printf("hipcache-remote %s\n", hipcache::protocol::build_id().c_str()) < 0 ? 1 : 0;
  if (argc == 3 && std::string_view(argv[1]) == "--public-key") return print_public_key(argv[2]);
  if (!is_socket(STDIN_FILENO)) {
    std::fprintf(stderr,
                 "hipcache-remote: error: hipcached starts this program when it needs it; --public-key FILE prints the "
                 "public key of a signing key\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // libcurl's TLS sends to closed connections
  std::signal(SIGXFSZ, SIG_IGN);
  mallopt(M_ARENA_MAX, kArenas);
  hipcache::protocol::Channel channel(hipcache::UniqueFd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
  hipcache::remote::Service service(channel);
  service.run();
  _exit(0);  // calls to servers may still run
}
