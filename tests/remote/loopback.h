// The address of a port of this machine.
#ifndef HIPCACHE_TESTS_REMOTE_LOOPBACK_H
#define HIPCACHE_TESTS_REMOTE_LOOPBACK_H

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstdint>

namespace hipcache::remote {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace hipcache::remote

#endif
