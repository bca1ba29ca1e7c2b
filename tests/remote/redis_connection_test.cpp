// Redis connections on which something comes that nobody asked for.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "hipcache/base/files.h"
#include "remote/backends/redis_store.h"
#include "remote/support.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

// Speaks as much of Redis as a GETRANGE needs: the answer to the first command is "1", to the second "2" and so on.
// The first one is sent twice, as a network does that repeats a message.
class RepeatingServer {
 public:
  RepeatingServer() : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = scratch_ / "socket";
    std::copy(path.begin(), path.end(), address.sun_path);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_.get(), 8), 0);
    thread_ = std::thread([this] { run(); });
  }
  ~RepeatingServer() {
    shutdown(listener_.get(), SHUT_RDWR);  // ends accept()
    thread_.join();
  }
  RepeatingServer(const RepeatingServer&) = delete;
  RepeatingServer& operator=(const RepeatingServer&) = delete;

  std::string url() const { return "redis+unix://" + (scratch_ / "socket"); }
  int connections() const { return connections_; }

 private:
  void run() {
    for (int command = 1;;) {
      const UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!connection) return;
      ++connections_;
      for (std::array<char, 4096> buffer{}; recv(connection.get(), buffer.data(), buffer.size(), 0) > 0; ++command) {
        const std::string answer = "$1\r\n" + std::to_string(command) + "\r\n";
        const std::string sent = command == 1 ? answer + answer : answer;
        if (send(connection.get(), sent.data(), sent.size(), MSG_NOSIGNAL) < 0) break;
      }
    }
  }

  support::Scratch scratch_;
  UniqueFd listener_;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

TEST(RedisConnection, WithAnAnswerTooManyIsNotUsedAgain) {
  const RepeatingServer server;
  const std::unique_ptr<KeyValue> store = make_redis_store(*config::parse_remote_url(server.url()));
  EXPECT_EQ(*store->get("one", 100, kPatient).value, "1");
  EXPECT_EQ(*store->get("two", 100, kPatient).value, "2") << "not the first one's answer";
  EXPECT_EQ(*store->get("three", 100, kPatient).value, "3");
  EXPECT_EQ(server.connections(), 2);
}

}  // namespace
}  // namespace hipcache::remote
