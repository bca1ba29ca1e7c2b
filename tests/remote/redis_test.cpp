// Redis: a connection on which something comes that nobody asked for; and TLS with a real server: that certificates are
// checked, who is let in, and what trouble costs. https_test.cpp has who is trusted, for all that libcurl connects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "hipcache/base/files.h"
#include "remote/backends/redis_store.h"
#include "remote/certificates.h"
#include "remote/server.h"
#include "remote/support.h"
#include "support/scratch.h"

#include <hiredis/hiredis.h>

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

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

class RedisOverTls : public testing::Test {
 protected:
  void start(const Certificates::Pair& certificate, const std::string& client_authority = "") {
    server_ = Server::redis("", ServerTls{certificate, client_authority});
    ASSERT_TRUE(server_) << "tools/setup installs Redis";
  }

  std::string url(const std::string& options) const { return server_->url() + "?" + options; }

  Failure failure_at(const std::string& url) const {
    const Answer<List> answer = backend_at(url)->list(key_, kPatient);
    EXPECT_TRUE(answer.failure) << url;
    return answer.failure.value_or(Failure());
  }

  void expect_refused(const std::string& url, const std::string& why) const {
    const Failure failure = failure_at(url);
    EXPECT_EQ(failure.trouble, Trouble::refused);
    EXPECT_THAT(failure.message, HasSubstr(why));
  }

  const Certificates certificates_;
  const Digest key_ = digest_of("key");
  std::unique_ptr<Server> server_;
};

TEST_F(RedisOverTls, AnAuthorityThatIsNotTrustedIsRefused) {
  start(certificates_.issue("server", "IP:127.0.0.1", "other"));
  const std::string why = "no trusted authority has signed the server's certificate; ca_file= names";
  expect_refused(url(certificates_.trust()), why);
  expect_refused(url(""), why);
}

TEST_F(RedisOverTls, ACertificateOfTheClientIsShownToAServerThatDemandsOne) {
  start(certificates_.issue("server"), certificates_.authority());
  const std::string trust = certificates_.trust() + "&";
  const Certificates::Pair ours = certificates_.issue("client");
  EXPECT_EQ(problem(backend_at(url(trust + ours.options()))->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  expect_refused(url(trust), "the server demands a certificate; client_certificate= and client_key= name one");
  const Certificates::Pair other = certificates_.issue("stranger", "DNS:stranger", "other");
  expect_refused(url(trust + other.options()), "the server does not take the certificate in client_certificate=");
}

TEST_F(RedisOverTls, AServerThatIsSilentDuringTheHandshakeCostsTheLimitOfTheConnection) {
  const SilentServer silent;
  const std::string url = "rediss://127.0.0.1:" + std::to_string(silent.port());
  const auto start = std::chrono::steady_clock::now();
  const Answer<List> answer = backend_at(url)->list(key_, {.connect = 100ms, .answer = 20s});
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::unreachable);
  EXPECT_EQ(answer.failure->message, "no connection in time");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
}

TEST_F(RedisOverTls, AServerWithoutTlsIsAFailure) {
  server_ = Server::redis();
  ASSERT_TRUE(server_) << "tools/setup installs Redis";
  const std::string place = "127.0.0.1:" + std::to_string(server_->port());
  EXPECT_EQ(backend_at("rediss://" + place)->list(key_, {.connect = 300ms}).failure->trouble, Trouble::unreachable);
  start(certificates_.issue("server"));
  EXPECT_TRUE(backend_at("redis://127.0.0.1:" + std::to_string(server_->port()))->list(key_, kPatient).failure)
      << "the server has TLS, and the URL has not";
}

// The server sends session tickets after the handshake, when nobody has asked.
TEST_F(RedisOverTls, AConnectionIsKept) {
  start(certificates_.issue("server"));
  const std::string url = this->url(certificates_.trust());
  const std::unique_ptr<Backend> backend = backend_at(url);
  const std::string large = noise(3u << 20);
  EXPECT_EQ(problem(backend->put_blob(digest_of(large), large, kPatient)), "");
  for (int round = 0; round < 5; ++round)
    EXPECT_TRUE(backend->blob(digest_of(large), large.size(), kPatient).value == large);
  auto opened = RedisConnection::open(*config::parse_remote_url(url), kPatient);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<RedisConnection>>(opened)) << std::get<Failure>(opened).message;
  const auto info = std::get<std::unique_ptr<RedisConnection>>(opened)->call({"INFO", "clients"}, kPatient);
  ASSERT_TRUE(std::holds_alternative<RedisReply>(info)) << std::get<Failure>(info).message;
  const redisReply& reply = *std::get<RedisReply>(info);
  EXPECT_THAT(std::string(reply.str, reply.len), HasSubstr("connected_clients:2\r\n"));
}

}  // namespace
}  // namespace hipcache::remote
