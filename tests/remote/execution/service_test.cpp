// hipcache-remote as the daemon uses it: executions, cancellations and questions over its socket.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <variant>

#include "hipcache/protocol/remote_messages.h"
#include "remote/execution/engine_server.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using protocol::ExecuteOutcome;
using testing::HasSubstr;

// The program, with this process as its daemon.
class Remote {
 public:
  explicit Remote(const std::string& engine) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    channel_ = std::make_unique<protocol::Channel>(UniqueFd(ends[0]));
    const UniqueFd other(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, other.get(), STDIN_FILENO);
    std::string program = HIPCACHE_REMOTE_PROGRAM;
    std::array<char*, 2> argv{program.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    send(protocol::RemoteConfigure{.execute = engine});
  }
  // It ends when its daemon does.
  ~Remote() {
    channel_.reset();
    waitpid(pid_, nullptr, 0);
  }
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;

  void send(const protocol::RemoteMessage& message) { EXPECT_TRUE(protocol::send(*channel_, message, 60s)); }

  // The next message of that kind. Others are passed over.
  template <typename Kind>
  Kind next() {
    for (;;) {
      const Result<protocol::RemoteMessage> message = protocol::receive_remote(*channel_, 110s);
      if (!message) {
        ADD_FAILURE() << message.error().message;
        return {};
      }
      if (const auto* found = std::get_if<Kind>(&*message)) return *found;
    }
  }

 private:
  std::unique_ptr<protocol::Channel> channel_;
  pid_t pid_ = 0;
};

class RemoteService : public testing::Test {
 protected:
  protocol::RemoteExecute shell(const std::string& script) const {
    protocol::RemoteExecute asked = request_in(scratch_.path(), scratch_.path());
    asked.argv = {"/usr/bin/sh", "-c", script};
    asked.outputs = {"out"};
    return asked;
  }

  const support::Scratch scratch_;
};

TEST_F(RemoteService, ExecutesSeveralAtOnceAndCancelsOne) {
  ASSERT_EQ(EngineServer::mend(EngineServer::Kind::casd), "");
  const EngineServer engine(EngineServer::Kind::casd);
  Remote remote(engine.url() + "?connect_timeout=20s&timeout=20s");
  remote.send(protocol::RemoteEngineQuestion{.id = 77});
  const auto answer = remote.next<protocol::RemoteEngineAnswer>();
  EXPECT_EQ(answer.id, 77u);
  EXPECT_TRUE(answer.ok) << answer.detail;

  const protocol::RemoteExecute endless = shell("sleep 600");
  remote.send(endless);
  EXPECT_EQ(remote.next<protocol::RemoteExecuteEvent>().id, endless.id);
  const protocol::RemoteExecute quick = shell("echo made > out");
  remote.send(quick);
  const auto done = remote.next<protocol::RemoteExecuted>();
  EXPECT_EQ(done.id, quick.id) << "beside the other";
  ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
  ASSERT_EQ(done.outputs.size(), 1u) << done.stderr_text;
  EXPECT_EQ(support::read_bytes(done.outputs[0].file), "made\n");

  remote.send(protocol::RemoteCancel{.id = 12'345});  // nobody's
  remote.send(protocol::RemoteCancel{.id = endless.id});
  const auto ended = remote.next<protocol::RemoteExecuted>();
  EXPECT_EQ(ended.id, endless.id);
  EXPECT_EQ(ended.outcome, ExecuteOutcome::cancelled);
}

TEST_F(RemoteService, WithoutAnEngineSaysSo) {
  Remote remote("");
  const protocol::RemoteExecute asked = shell("true");
  remote.send(asked);
  const auto executed = remote.next<protocol::RemoteExecuted>();
  EXPECT_EQ(executed.id, asked.id);
  EXPECT_EQ(executed.outcome, ExecuteOutcome::unavailable);
  EXPECT_EQ(executed.detail, "no engine is set");
  remote.send(protocol::RemoteEngineQuestion{.id = 1});
  EXPECT_FALSE(remote.next<protocol::RemoteEngineAnswer>().ok);
}

TEST_F(RemoteService, WithAWrongUrlNamesTheMistake) {
  Remote remote("http://host/");
  remote.send(shell("true"));
  EXPECT_THAT(remote.next<protocol::RemoteExecuted>().detail, HasSubstr("is no engine of remote execution"));
}

}  // namespace
}  // namespace hipcache::remote
