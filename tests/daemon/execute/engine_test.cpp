// What an engine's failures do to later actions, and who hears of an answer.
#include "daemon/execute/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;
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

  bool is_woken() const { return is_woken(wake_); }
  static bool is_woken(const UniqueFd& wake) {
    pollfd waited{.fd = wake.get(), .events = POLLIN, .revents = 0};
    return poll(&waited, 1, 0) == 1;
  }
  static UniqueFd request() { return UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }
  std::uint64_t start() { return engine_.start({}, wake_.get()).value_or(0); }
  void begin(std::uint64_t id) {
    engine_.receive(protocol::RemoteExecuteEvent{.id = id, .state = protocol::ExecuteState::executing});
  }
  // The engine says what waits.
  void show_queue() {
    const std::uint64_t id = start();
    engine_.receive(protocol::RemoteExecuteEvent{.id = id, .state = protocol::ExecuteState::queued});
    engine_.forget(id);
  }
  // It executes on a worker.
  std::uint64_t start_and_begin() {
    const std::uint64_t id = start();
    begin(id);
    return id;
  }
  // A worker has not taken it in time.
  bool expire(std::uint64_t id) {
    engine_.receive(protocol::RemoteExecuted{.id = id, .outcome = ExecuteOutcome::expired});
    engine_.take(id);
    return engine_.note_expired();
  }
  void end(std::uint64_t id) {
    engine_.receive(protocol::RemoteExecuted{.id = id, .outcome = ExecuteOutcome::done});
    engine_.take(id);
    engine_.note_success(2s, 2s);
  }
  // How many more actions would be sent now.
  std::size_t room() {
    std::vector<UniqueFd> asking;
    while (engine_.may_send(1, asking.emplace_back(request()).get())) {
    }
    for (const UniqueFd& one : asking) engine_.withdraw(one.get());
    return asking.size() - 1;
  }
  bool was_cancelled(std::uint64_t id) const {
    const auto* cancel = std::get_if<protocol::RemoteCancel>(&sent_.back());
    return cancel != nullptr && cancel->id == id;
  }
};

class EngineThatDoesNotSayWhatWaits : public EngineTest {
 protected:
  // Of an idle engine: how many actions are sent.
  std::size_t window() {
    std::vector<std::uint64_t> sent;
    while (room() > 0) sent.push_back(start_and_begin());
    for (const std::uint64_t id : sent) engine_.forget(id);
    return sent.size();
  }
  // A result of use took so long, while another request waited to send or none did.
  void answer(std::chrono::microseconds whole, std::chrono::microseconds at_worker, bool has_waiting) {
    std::vector<std::uint64_t> sent;
    while (room() > 0) sent.push_back(start_and_begin());
    const UniqueFd waiting = request();
    if (has_waiting) {
      EXPECT_FALSE(engine_.may_send(1, waiting.get()));
    }
    engine_.note_success(whole, at_worker);
    engine_.withdraw(waiting.get());
    for (const std::uint64_t id : sent) engine_.forget(id);
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
    engine_.note_success(2s, 2s);
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
  show_queue();
  for (std::size_t actions = 0; actions < Engine::kMostInFlight; ++actions) {
    EXPECT_GT(room(), 0u);
    start_and_begin();
  }
  EXPECT_EQ(room(), 0u);
}

TEST_F(EngineTest, SendsFewActionsThatNoWorkerHasBegun) {
  show_queue();
  EXPECT_EQ(room(), Engine::kMostQueued);
  const std::uint64_t first = start();
  for (std::size_t more = 1; more < Engine::kMostQueued; ++more) start();
  EXPECT_EQ(room(), 0u);
  begin(first);
  EXPECT_EQ(room(), 1u);
  for (int executing = 1; executing < 64; ++executing) start_and_begin();
  EXPECT_EQ(room(), 64u / Engine::kQueuedPart - (Engine::kMostQueued - 1));
}

TEST_F(EngineTest, CountsAnActionThatAWorkerLostAsQueuedAgain) {
  show_queue();
  const std::uint64_t id = start_and_begin();
  EXPECT_EQ(room(), Engine::kMostQueued);
  engine_.receive(protocol::RemoteExecuteEvent{.id = id, .state = protocol::ExecuteState::queued});
  EXPECT_EQ(room(), Engine::kMostQueued - 1);
}

TEST_F(EngineTest, SendsToAFullEngineAsManyAsItExecutesAndOneMoreForEachSuccess) {
  show_queue();
  const std::uint64_t one = start_and_begin();
  start_and_begin();
  for (int times = 0; times < 2 * Engine::kMostFailures; ++times) EXPECT_TRUE(expire(start()));
  EXPECT_TRUE(engine_.is_open()) << "a full engine has not failed";
  EXPECT_EQ(room(), 0u);
  end(one);
  EXPECT_EQ(room(), 2u) << "the place of the action that ended, and another one";
}

TEST_F(EngineTest, FailsIfNoWorkerTakesAnyAction) {
  for (int times = 0; times < Engine::kMostFailures; ++times) {
    EXPECT_FALSE(expire(start()));
    engine_.note_failure("no worker");
  }
  EXPECT_FALSE(engine_.is_open());
}

TEST_F(EngineThatDoesNotSayWhatWaits, GetsMoreForResultsThatDidNotWait) {
  EXPECT_EQ(window(), Engine::kFirstWindow);
  for (std::size_t before = Engine::kFirstWindow; before < 20; ++before) {
    answer(2s, 1'900ms, true);
    EXPECT_EQ(window(), before + 1);
  }
}

TEST_F(EngineThatDoesNotSayWhatWaits, GetsNoMoreIfOneActionWaitsOrIfNoRequestDoes) {
  for (int times = 0; times < 20; ++times) answer(4s, 1'800ms, true);
  EXPECT_EQ(window(), Engine::kFirstWindow) << "of two, one waits";
  for (int times = 0; times < 20; ++times) answer(2s, 2s, false);
  EXPECT_EQ(window(), Engine::kFirstWindow);
}

TEST_F(EngineThatDoesNotSayWhatWaits, GetsFewerIfMoreActionsWait) {
  for (int times = 0; times < 8; ++times) answer(2s, 2s, true);
  const std::size_t wide = window();
  answer(10s, 4s, true);
  EXPECT_EQ(window(), wide - 1);
  for (int times = 0; times < 20; ++times) answer(10s, 1s, true);
  EXPECT_EQ(window(), Engine::kFirstWindow) << "of two, fewer than two wait";
}

TEST_F(EngineThatDoesNotSayWhatWaits, GetsHalfAfterAnActionThatTookTooLong) {
  for (int times = 0; times < 6; ++times) answer(2s, 2s, true);
  EXPECT_EQ(window(), Engine::kFirstWindow + 6);
  std::vector<std::uint64_t> sent;
  while (room() > 0) sent.push_back(start_and_begin());
  engine_.note_overdue();
  for (const std::uint64_t id : sent) engine_.forget(id);
  EXPECT_EQ(window(), (Engine::kFirstWindow + 6) / 2);
}

TEST_F(EngineThatDoesNotSayWhatWaits, MayKeepSilentAboutItsTimesToo) {
  answer(2s, 0s, true);
  EXPECT_EQ(window(), Engine::kFirstWindow + 1);
}

TEST_F(EngineTest, WakesTheRequestWithTheLongestStepWhenThereIsRoom) {
  show_queue();
  std::vector<std::uint64_t> sent;
  while (room() > 0) sent.push_back(start());
  const UniqueFd light = request(), heavy = request();
  EXPECT_FALSE(engine_.may_send(5, light.get()));
  EXPECT_FALSE(engine_.may_send(9, heavy.get()));
  EXPECT_FALSE(is_woken(light) || is_woken(heavy));
  begin(sent.front());
  EXPECT_TRUE(is_woken(heavy));
  EXPECT_FALSE(is_woken(light));
  EXPECT_FALSE(engine_.may_send(5, light.get())) << "the other one is about to send";
  EXPECT_TRUE(engine_.may_send(9, heavy.get()));
  EXPECT_FALSE(engine_.may_send(5, light.get())) << "the place is taken, although nothing is sent yet";
}

TEST_F(EngineTest, GivesThePlaceOfARequestThatLeavesToTheNext) {
  show_queue();
  std::vector<std::uint64_t> sent;
  while (room() > 0) sent.push_back(start());
  const UniqueFd light = request(), heavy = request();
  engine_.may_send(5, light.get());
  engine_.may_send(9, heavy.get());
  begin(sent.front());
  engine_.withdraw(heavy.get());
  EXPECT_TRUE(is_woken(light));
  EXPECT_TRUE(engine_.may_send(5, light.get()));
}

TEST_F(EngineTest, WaitsForNoRequestThatDoesNotCome) {
  show_queue();
  std::vector<std::uint64_t> sent;
  while (room() > 0) sent.push_back(start());
  const UniqueFd light = request(), heavy = request();
  engine_.may_send(9, heavy.get());
  begin(sent.front());
  const auto until = Engine::Clock::now() + std::chrono::seconds(20);
  while (!engine_.may_send(5, light.get()) && Engine::Clock::now() < until)
    std::this_thread::sleep_for(Engine::kTurn / 4);
  EXPECT_LT(Engine::Clock::now(), until);
}

TEST_F(EngineTest, IsNeverAskedAgainAfterAWrongResult) {
  engine_.close("it differs");
  engine_.note_success(2s, 2s);
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
