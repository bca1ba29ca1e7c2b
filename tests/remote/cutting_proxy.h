// A network between a client and a server of loopback that breaks in the middle of a request.
#ifndef HIPCACHE_TESTS_REMOTE_CUTTING_PROXY_H
#define HIPCACHE_TESTS_REMOTE_CUTTING_PROXY_H

#include <cstdint>
#include <thread>

#include "hipcache/base/files.h"

namespace hipcache::remote {

// Takes one connection after the other. Ends all, and takes no more, when it has passed `most` bytes to the server.
class CuttingProxy {
 public:
  CuttingProxy(std::uint16_t server, std::uint64_t most);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void run();
  // Until one side ends it, or `left_` is used up.
  void pass(int client, int server);

  const std::uint16_t server_;
  std::uint64_t left_;
  UniqueFd listening_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace hipcache::remote

#endif
