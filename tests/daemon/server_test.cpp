#include "daemon/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

#include "hipcache/protocol/channel.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

class RunningServer : public testing::Test {
 protected:
  Server::Options options(std::chrono::seconds idle, std::function<void(UniqueFd)> serve) {
    return {
        .socket_path = path_, .idle_timeout = idle, .serve = std::move(serve), .every_second = [this] { ++ticks_; }};
  }
  UniqueFd connect() const {
    Result<UniqueFd> socket = protocol::connect_to(path_, 1s);
    EXPECT_TRUE(socket.ok()) << socket.error().message;
    return socket ? std::move(*socket) : UniqueFd();
  }

  support::Scratch scratch_;
  std::string path_ = scratch_ / "daemon.sock";
  Log log_;
  std::atomic<int> ticks_{0};
};

TEST_F(RunningServer, ListensOnASocketThatIsItsUsersAlone) {
  Server server(options(0s, [](UniqueFd) {}), log_);
  ASSERT_TRUE(server.open().ok());
  struct stat status{};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  server.stop();
  EXPECT_TRUE(server.run().ok());
}

TEST_F(RunningServer, GivesEveryConnectionToASession) {
  std::promise<void> served;
  Server server(options(0s, [&served](UniqueFd) { served.set_value(); }), log_);
  ASSERT_TRUE(server.open().ok());
  std::thread running([&server] { EXPECT_TRUE(server.run().ok()); });
  const UniqueFd client = connect();
  EXPECT_EQ(served.get_future().wait_for(10s), std::future_status::ready);
  server.stop();
  running.join();
}

TEST_F(RunningServer, ServesManyAtOnceAndOneAfterTheOther) {
  constexpr int kAtOnce = 40;
  std::atomic<int> inside{0};
  std::atomic<int> served{0};
  Server server(options(0s,
                        [&](UniqueFd) {
                          if (served++ >= kAtOnce) return;
                          ++inside;
                          while (inside < kAtOnce) std::this_thread::yield();
                        }),
                log_);
  ASSERT_TRUE(server.open().ok());
  auto run = std::async(std::launch::async, [&server] { return server.run().ok(); });
  std::vector<UniqueFd> clients;
  for (int client = 0; client < kAtOnce; ++client) clients.push_back(connect());
  for (int client = 0; client < kAtOnce; ++client) {
    char byte = 0;
    const UniqueFd next = connect();
    EXPECT_EQ(read(next.get(), &byte, 1), 0) << "served, and closed";
  }
  server.stop();
  EXPECT_TRUE(run.get());
  EXPECT_EQ(served, 2 * kAtOnce);
}

TEST_F(RunningServer, StopsOnlyWhenItsSessionsHaveEndedButTakesNoMore) {
  std::promise<void> begun;
  std::promise<void> may_end;
  std::atomic<bool> ended{false};
  Server server(options(0s,
                        [&](UniqueFd) {
                          begun.set_value();
                          may_end.get_future().wait();
                          ended = true;
                        }),
                log_);
  ASSERT_TRUE(server.open().ok());
  auto run = std::async(std::launch::async, [&server] { return server.run().ok(); });
  const UniqueFd client = connect();
  begun.get_future().wait();
  server.stop();
  while (support::exists(path_)) std::this_thread::yield();
  EXPECT_FALSE(protocol::connect_to(path_, 10ms).ok());
  EXPECT_FALSE(ended);
  may_end.set_value();
  EXPECT_TRUE(run.get());
  EXPECT_TRUE(ended);
}

// The daemon listens before it opens its store, which takes its time where that is large.
TEST_F(RunningServer, ServesThoseWhoCameAfterItListenedAndBeforeItRan) {
  Server server(options(0s,
                        [](UniqueFd client) {
                          char byte = 0;
                          EXPECT_EQ(read(client.get(), &byte, 1), 1);
                          EXPECT_EQ(write(client.get(), &byte, 1), 1);
                        }),
                log_);
  ASSERT_TRUE(server.open().ok());
  std::vector<UniqueFd> clients;
  for (const char byte : {'a', 'b', 'c'}) {
    clients.push_back(connect());
    ASSERT_EQ(write(clients.back().get(), &byte, 1), 1);
  }
  auto run = std::async(std::launch::async, [&server] { return server.run().ok(); });
  for (std::size_t client = 0; client < clients.size(); ++client) {
    char byte = 0;
    EXPECT_EQ(read(clients[client].get(), &byte, 1), 1);
    EXPECT_EQ(byte, "abc"[client]);
  }
  server.stop();
  EXPECT_TRUE(run.get());
}

TEST_F(RunningServer, EndsByItselfWhenNobodyComes) {
  Server server(options(1s, [](UniqueFd) {}), log_);
  ASSERT_TRUE(server.open().ok());
  EXPECT_TRUE(server.run().ok());
  EXPECT_FALSE(support::exists(path_));
  EXPECT_GT(ticks_, 0);
}

TEST_F(RunningServer, DoesNotEndWhileASessionRuns) {
  std::promise<void> may_end;
  Server server(options(1s, [&may_end](UniqueFd) { may_end.get_future().wait(); }), log_);
  ASSERT_TRUE(server.open().ok());
  auto run = std::async(std::launch::async, [&server] { return server.run().ok(); });
  const UniqueFd client = connect();
  EXPECT_EQ(run.wait_for(2500ms), std::future_status::timeout);
  may_end.set_value();
  EXPECT_TRUE(run.get());
}

}  // namespace
}  // namespace hipcache::daemon
