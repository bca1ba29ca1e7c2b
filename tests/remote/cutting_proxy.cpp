#include "remote/cutting_proxy.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <vector>

#include "remote/loopback.h"

namespace hipcache::remote {
namespace {

bool send_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(std::uint16_t server, std::uint64_t most)
    : server_(server), left_(most), listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(listen(listening_.get(), 8), 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

CuttingProxy::~CuttingProxy() {
  shutdown(listening_.get(), SHUT_RDWR);  // ends accept()
  thread_.join();
}

void CuttingProxy::run() {
  while (left_ > 0) {
    const UniqueFd client(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) return;
    const UniqueFd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(server_);
    EXPECT_EQ(connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    pass(client.get(), server.get());
  }
  shutdown(listening_.get(), SHUT_RDWR);
}

void CuttingProxy::pass(int client, int server) {
  std::array<char, 16u << 10> buffer{};
  while (left_ > 0) {
    std::array<pollfd, 3> ready{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}, pollfd{listening_.get(), 0, 0}};
    poll(ready.data(), ready.size(), -1);
    if ((ready[2].revents & POLLHUP) != 0) return;  // the proxy ends
    const bool from_client = ready[0].revents != 0;
    const std::size_t most = from_client ? std::min<std::uint64_t>(buffer.size(), left_) : buffer.size();
    const ssize_t size = recv(from_client ? client : server, buffer.data(), most, 0);
    if (size <= 0 || !send_all(from_client ? server : client, buffer.data(), static_cast<std::size_t>(size))) return;
    if (from_client) left_ -= static_cast<std::uint64_t>(size);
  }
}

}  // namespace hipcache::remote
