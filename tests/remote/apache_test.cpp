// The web server's store with Apache: how values are written, and that no half of one is ever there.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"
#include "remote/backends/open_backend.h"
#include "remote/server.h"
#include "remote/support.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

constexpr const char* kName = "v1/r/ab/abcd";

bool send_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

// A network between a client and a server of loopback that breaks in the middle of a request.
// Takes one connection after the other. Ends all, and takes no more, when it has passed `most` bytes to the server.
class CuttingProxy {
 public:
  CuttingProxy(std::uint16_t server, std::uint64_t most)
      : server_(server), left_(most), listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_EQ(listen(listening_.get(), 8), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }

  ~CuttingProxy() {
    shutdown(listening_.get(), SHUT_RDWR);  // ends accept()
    thread_.join();
  }

  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void run() {
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

  // Until one side ends it, or `left_` is used up.
  void pass(int client, int server) {
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

  const std::uint16_t server_;
  std::uint64_t left_;
  UniqueFd listening_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

class Apache : public testing::Test {
 protected:
  void SetUp() override {
    server_ = Server::apache();
    ASSERT_TRUE(server_) << "tools/setup installs Apache";
  }

  std::unique_ptr<KeyValue> store_at(std::uint16_t port) const {
    return make_http_store(*config::parse_remote_url("http://127.0.0.1:" + std::to_string(port) + "/cache/of/ours"));
  }

  // As soon as there are so many. Apache notes a request after its answer.
  std::vector<std::string> requests(std::size_t count) const {
    support::comes_true([&] { return requests().size() >= count; });
    return requests();
  }

  // "PUT /a.tmp 201": temporary names end after their ".tmp".
  std::vector<std::string> requests() const {
    std::istringstream log(support::read_bytes(server_->files() / "access.log"));
    std::vector<std::string> lines;
    for (std::string method, path, status; log >> method >> path >> status;) {
      if (const auto at = path.find(".tmp-"); at != std::string::npos) path.resize(at + 4);
      lines.push_back(method + " " + path + " " + status);
    }
    return lines;
  }

  // How many files the server has, its own temporary ones as well.
  std::ptrdiff_t files() const {
    const std::filesystem::recursive_directory_iterator all(server_->files() / "root"), end;
    return std::count_if(all, end, [](const auto& entry) { return entry.is_regular_file(); });
  }

  std::unique_ptr<Server> server_;
};

TEST_F(Apache, GetsTheCollectionsOfTheUrlAndOfTheNameAndThenAMove) {
  const std::unique_ptr<KeyValue> store = store_at(server_->port());
  EXPECT_EQ(problem(store->put(kName, "value", kPatient)), "");
  const std::string top = "/cache/of/ours/";
  const std::string value = top + "v1/r/ab/abcd";
  const std::vector<std::string> expected{
      "OPTIONS " + top + " 200",       "PUT " + value + ".tmp 409", "MKCOL " + top + "v1/r/ab/ 409",
      "MKCOL " + top + "v1/r/ 409",    "MKCOL " + top + "v1/ 409",  "MKCOL " + top + " 409",
      "MKCOL /cache/of/ 409",          "MKCOL /cache/ 201",         "MKCOL /cache/of/ 201",
      "MKCOL " + top + " 201",         "MKCOL " + top + "v1/ 201",  "MKCOL " + top + "v1/r/ 201",
      "MKCOL " + top + "v1/r/ab/ 201", "PUT " + value + ".tmp 201", "MOVE " + value + ".tmp 201"};
  EXPECT_EQ(requests(expected.size()), expected);
  EXPECT_EQ(problem(store->put(kName, "other", kPatient)), "");
  EXPECT_EQ(requests(expected.size() + 2).back(), "MOVE " + value + ".tmp 204") << "after one PUT";
  EXPECT_EQ(*store->get(kName, 100, kPatient).value, "other");
  EXPECT_EQ(files(), 1);
}

TEST_F(Apache, AnInterruptedPutLeavesTheValueAsItWas) {
  const std::unique_ptr<KeyValue> store = store_at(server_->port());
  EXPECT_EQ(problem(store->put(kName, "old", kPatient)), "");
  const std::string large = noise(4u << 20);
  for (const std::uint64_t most : {1u << 10, 2u << 20, 4u << 20}) {
    const CuttingProxy proxy(server_->port(), most);
    const std::unique_ptr<KeyValue> cut = store_at(proxy.port());
    EXPECT_TRUE(cut->put(kName, large, kPatient).failure);
    EXPECT_TRUE(cut->put("v1/r/ab/other", large, kPatient).failure);
    EXPECT_EQ(*store->get(kName, large.size(), kPatient).value, "old");
    EXPECT_FALSE(store->get("v1/r/ab/other", large.size(), kPatient).value);
  }
  EXPECT_EQ(problem(store->put(kName, large, kPatient)), "");
  EXPECT_TRUE(*store->get(kName, large.size(), kPatient).value == large);
}

}  // namespace
}  // namespace hipcache::remote
