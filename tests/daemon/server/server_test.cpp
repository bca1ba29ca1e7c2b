#include "daemon/server/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

// The undefined-behaviour sanitizer looks at an object of a type that its cache does not have with a pipe. Where no
// descriptor is left for one, it reports a fault that is none.
constexpr bool kChecksTypesByPipes =
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
    true ||
#endif
#endif
    false;

class RunningServer : public testing::Test {
 protected:
  Server::Options options(std::chrono::seconds idle, std::function<void(UniqueFd)> serve) {
    return {.socket_path = path_,
            .idle_timeout = idle,
            .serve = std::move(serve),
            .every_second = [this] { ++ticks_; },
            .is_in_place = [this] { return in_place_.load(); }};
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
  std::atomic<bool> in_place_{true};
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
                          EXPECT_TRUE(support::comes_true([&] { return inside >= kAtOnce; }));
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
  EXPECT_TRUE(support::comes_true([&] { return !support::exists(path_); }));
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

TEST_F(RunningServer, LeavesWhenItsDirectoryIsNoLongerItsOwn) {
  Server server(options(0s, [](UniqueFd) {}), log_);
  ASSERT_TRUE(server.open().ok());
  auto run = std::async(std::launch::async, [&server] { return server.run().ok(); });
  in_place_ = false;
  EXPECT_TRUE(run.get());
}

TEST_F(RunningServer, LeavesWhenAnotherSocketIsInItsPlaceAndDoesNotRemoveThatOne) {
  Server first(options(0s, [](UniqueFd) {}), log_);
  ASSERT_TRUE(first.open().ok());
  auto run = std::async(std::launch::async, [&first] { return first.run().ok(); });
  Server second(options(0s, [](UniqueFd) {}), log_);
  ASSERT_TRUE(second.open().ok());
  EXPECT_TRUE(run.get());
  EXPECT_TRUE(support::exists(path_));
  EXPECT_TRUE(protocol::connect_to(path_, 1s).ok());
  second.stop();
  EXPECT_TRUE(second.run().ok());
  EXPECT_FALSE(support::exists(path_));
}

TEST_F(RunningServer, TellsThatItIsBusyToThoseBeyondItsSessions) {
  std::promise<void> may_end;
  const std::shared_future<void> end = may_end.get_future().share();
  auto some = options(0s, [end](UniqueFd) { end.wait(); });
  some.max_sessions = 2;
  Server server(some, log_);
  ASSERT_TRUE(server.open().ok());
  auto run = std::async(std::launch::async, [&server] { return server.run().ok(); });
  std::vector<UniqueFd> served;
  for (unsigned client = 0; client < some.max_sessions; ++client) served.push_back(connect());
  protocol::Channel refused(connect());
  const auto answer = refused.receive(10s);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(std::holds_alternative<protocol::Busy>(answer->message));
  may_end.set_value();
  server.stop();
  EXPECT_TRUE(run.get());
}

// accept fails at once where no descriptor is left, whether somebody waits or not.
TEST_F(RunningServer, RefusesWithoutSpinningWhereNoDescriptorIsLeftAndServesAgainAfterwards) {
  if (kChecksTypesByPipes) GTEST_SKIP() << "this sanitizer needs descriptors; the thread sanitizer's build runs it";
  Log log(scratch_ / "log");
  std::atomic<int> served{0};
  Server server(options(0s, [&served](UniqueFd) { ++served; }), log);
  ASSERT_TRUE(server.open().ok());
  auto run = std::async(std::launch::async, [&server] { return server.run().ok(); });
  UniqueFd client = connect();
  char byte = 0;
  EXPECT_EQ(read(client.get(), &byte, 1), 0) << "served, and closed";
  rlimit before_limits{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before_limits), 0);
  const rlimit few{std::min<rlim_t>(before_limits.rlim_cur, 128), before_limits.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  // Clients are made while there are descriptors for them, then all others are taken.
  std::vector<UniqueFd> sockets;
  for (int i = 0; i < 3; ++i) sockets.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::vector<UniqueFd> taken;
  for (int fd = dup(STDERR_FILENO); fd >= 0; fd = dup(STDERR_FILENO)) taken.emplace_back(fd);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path_.begin(), path_.end(), address.sun_path);
  int answered = 0;
  for (UniqueFd& waiting : sockets) {
    ASSERT_EQ(::connect(waiting.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    protocol::Channel channel(std::move(waiting));
    const auto answer = channel.receive(10s);
    // The thread that waited in accept already had a descriptor: it serves, which closes the connection.
    const bool busy = answer.ok() && std::holds_alternative<protocol::Busy>(answer->message);
    answered += busy || (!answer.ok() && answer.error().code == ErrorCode::closed) ? 1 : 0;
  }
  EXPECT_EQ(answered, 3);
  const int before = ticks_;
  while (ticks_ < before + 2) std::this_thread::yield();
  taken.clear();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before_limits), 0);
  const int so_far = served;
  while (served == so_far) connect();
  server.stop();
  EXPECT_TRUE(run.get());
  const std::string text = support::read_bytes(scratch_ / "log");
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60) << text;
}

}  // namespace
}  // namespace hipcache::daemon
