// What an engine's failures do to later actions, and who hears of an answer.
#include "daemon/execute/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "hipcache/base/files.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using protocol::ExecuteOutcome;

class EngineTest : public testing::Test {
 protected:
  config::ExecuteUrl url_ = *config::parse_execute_url("grpc://engine.example:8980/");
  Log log_{"", Log::Level::info};
  bool is_there_ = true;
  std::vector<protocol::RemoteMessage> sent_;
  UniqueFd wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Engine engine_{url_,
                 [this](const protocol::RemoteMessage& message) {
                   if (is_there_) sent_.push_back(message);
                   return is_there_;
                 },
                 log_};

  bool is_woken() const {
    pollfd waited{.fd = wake_.get(), .events = POLLIN, .revents = 0};
    return poll(&waited, 1, 0) == 1;
  }
  bool was_cancelled(std::uint64_t id) const {
    const auto* cancel = std::get_if<protocol::RemoteCancel>(&sent_.back());
    return cancel != nullptr && cancel->id == id;
  }
};

TEST_F(EngineTest, GivesEachAnswerOnceToTheOneWhoAsked) {
  const auto one = engine_.start({}, wake_.get());
  const auto other = engine_.start({}, wake_.get());
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(engine_.take(*one));
  EXPECT_FALSE(is_woken());
  engine_.receive(protocol::RemoteExecuted{.id = *one, .outcome = ExecuteOutcome::done, .exit_code = 3});
  EXPECT_TRUE(is_woken());
  EXPECT_FALSE(engine_.take(*other));
  const auto answer = engine_.take(*one);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->exit_code, 3);
  EXPECT_FALSE(engine_.take(*one));
}

TEST_F(EngineTest, CancelsWhatNobodyWaitsForAndDropsItsAnswer) {
  const auto id = engine_.start({}, wake_.get());
  ASSERT_TRUE(id);
  engine_.forget(*id);
  EXPECT_TRUE(was_cancelled(*id));
  engine_.receive(protocol::RemoteExecuted{.id = *id, .outcome = ExecuteOutcome::cancelled});
  EXPECT_FALSE(engine_.take(*id));
  EXPECT_FALSE(is_woken());
}

TEST_F(EngineTest, AnswersForAProcessThatEnds) {
  const auto id = engine_.start({}, wake_.get());
  ASSERT_TRUE(id);
  engine_.process_ended();
  EXPECT_TRUE(is_woken());
  const auto answer = engine_.take(*id);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, ExecuteOutcome::unavailable);
}

TEST_F(EngineTest, PausesAfterFailuresInARowAndNotAfterFewerBetweenSuccesses) {
  for (int times = 0; times < 10; ++times) {
    for (int in_a_row = 1; in_a_row < Engine::kMostFailures; ++in_a_row) engine_.note_failure("no");
    engine_.note_success();
    EXPECT_TRUE(engine_.is_open());
  }
  for (int in_a_row = 0; in_a_row < Engine::kMostFailures; ++in_a_row) engine_.note_failure("no");
  EXPECT_FALSE(engine_.is_open());
}

TEST_F(EngineTest, PausesWithoutAProcess) {
  is_there_ = false;
  for (int in_a_row = 0; in_a_row < Engine::kMostFailures; ++in_a_row) EXPECT_FALSE(engine_.start({}, wake_.get()));
  EXPECT_FALSE(engine_.is_open());
}

TEST_F(EngineTest, TakesNoMoreActionsThanItsLimit) {
  for (std::size_t actions = 0; actions < Engine::kMostInFlight; ++actions) {
    EXPECT_TRUE(engine_.is_open());
    EXPECT_TRUE(engine_.start({}, wake_.get()));
  }
  EXPECT_FALSE(engine_.is_open());
}

TEST_F(EngineTest, IsNeverAskedAgainAfterAWrongResult) {
  engine_.close("it differs");
  engine_.note_success();
  EXPECT_FALSE(engine_.is_open());
}

TEST_F(EngineTest, RemembersTheHashOfAFileUntilTheFileChanges) {
  const support::Scratch scratch;
  const std::string path = scratch.write("a.h", "one");
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(engine_.sha256(status), "");
  const auto id = engine_.start({.inputs = {{.path = path, .source = path}}}, wake_.get());
  ASSERT_TRUE(id);
  engine_.receive(protocol::RemoteExecuted{.id = *id, .hashed = {{.path = path, .sha256 = "12ab"}}});
  EXPECT_EQ(engine_.sha256(status), "12ab");
  scratch.write("a.h", "another");
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(engine_.sha256(status), "");
}

}  // namespace
}  // namespace hipcache::daemon
