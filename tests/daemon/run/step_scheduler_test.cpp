// Several sessions that need the same steps, with a client that the test plays: who runs what, who waits for whom, and
// how often the store is asked.
#include "daemon/run/step_scheduler.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <utility>
#include <vector>

#include "daemon/services_in_memory.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;  // for what must come
constexpr auto kSilence = 50ms;  // in which nothing must come that has no cause

// A connection whose client is, for the daemon, a process of its own; the test speaks for it.
class Connection {
 public:
  Connection() {
    const std::string path = scratch_ / "socket";
    const UniqueFd listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    client.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* place = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(bind(listening.get(), place, sizeof address), 0);
    EXPECT_EQ(listen(listening.get(), 1), 0);
    process_ = fork();
    EXPECT_GE(process_, 0);
    if (process_ == 0) _exit(connect(client.get(), place, sizeof address));
    daemon.reset(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_TRUE(static_cast<bool>(daemon));
  }
  // Until then nobody else gets the number of the process.
  ~Connection() { waitpid(process_, nullptr, 0); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  UniqueFd client, daemon;

 private:
  support::Scratch scratch_;
  pid_t process_ = -1;
};

// One session in a thread of its own, with a step for each key; the test is its client.
class Session {
 public:
  Session(const std::vector<std::string>& keys, const Services& services) : services_(services) {
    client_.emplace(std::move(connection_.client));
    daemon_.emplace(std::move(connection_.daemon));
    request_.invocation.argv = {"clang"};
    for (const std::string& key : keys) {
      StepSpec spec;
      spec.label = key;
      spec.key = {digest_of(key)};
      spec.commands = {{"/bin/false", {"false"}}};
      steps_.emplace_back(std::move(spec));
    }
    ended_ = std::async(std::launch::async, [this] { return run(); });
  }
  ~Session() { hang_up(); }

  // The client goes away.
  void hang_up() { client_.reset(); }

  // The step that the client is to run now. The daemon may tell it to wait before.
  protocol::RunStep given() {
    for (;;) {
      const Result<protocol::Received> received = client_->receive(kPatience);
      if (!received) {
        ADD_FAILURE() << received.error().message;
        return {};
      }
      if (const auto* step = std::get_if<protocol::RunStep>(&received->message)) return *step;
      EXPECT_TRUE(std::holds_alternative<protocol::KeepWaiting>(received->message));
    }
  }

  // It may be told to wait.
  bool is_given_nothing() {
    for (;;) {
      const Result<protocol::Received> received = client_->receive(kSilence);
      if (!received) return true;
      if (!std::holds_alternative<protocol::KeepWaiting>(received->message)) return false;
    }
  }

  // The compiler finds an error, so nothing is recorded.
  void fail(const protocol::RunStep& step) {
    EXPECT_TRUE(client_->send(protocol::StepDone{.step = step.step, .exit_code = 1}, kPatience));
  }

  // The first step, once its session has ended well.
  const StepResult& result() {
    const Status ended = ended_.get();
    EXPECT_TRUE(ended) << ended.error().message;
    return steps_.front().result;
  }

 private:
  Status run() {
    const Result<RequestDirectory> directory =
        RequestDirectory::make(services_.temporary_root, services_.temporary_root);
    if (!directory) return directory.error();
    const std::unique_ptr<store::Lease> lease = services_.store.lease();
    std::vector<StepState*> steps;
    for (StepState& step : steps_) steps.push_back(&step);
    const StepContext context{context_of(*daemon_, request_, services_, *lease, nullptr), *directory};
    return StepScheduler(context).run(steps);
  }

  const Services& services_;
  Connection connection_;
  Request request_;
  std::vector<StepState> steps_;
  std::optional<protocol::Channel> client_, daemon_;
  std::future<Status> ended_;
};

class StepRunnerTest : public testing::Test {
 protected:
  explicit StepRunnerTest(const SingleFlight::Limits& limits = {.slack = 1h, .unknown = 1h, .most = 1h})
      : made_({.job_slots = 8, .limits = limits, .temporary_root = scratch_.path()}) {}

  unsigned look_ups(const std::string& key) const { return made_.store.look_ups(digest_of(key)); }
  // Until so many sessions wait for steps of others.
  bool wait_for_waiting(std::uint64_t sessions) const {
    return support::comes_true([&] { return services_.counters.snapshot().waited_steps >= sessions; });
  }

  support::Scratch scratch_;
  ServicesInMemory<> made_;
  const Services& services_ = made_.services;
};

TEST_F(StepRunnerTest, LooksAgainWhenARunOfTheSameStepHasEndedAndNotWhenAnotherHas) {
  Session first({"wanted"}, services_);
  const protocol::RunStep running = first.given();
  EXPECT_EQ(look_ups("wanted"), 1u);
  Session second({"wanted"}, services_);
  ASSERT_TRUE(wait_for_waiting(1));
  for (int round = 0; round < 20; ++round) {
    Session unrelated({"unrelated"}, services_);
    unrelated.fail(unrelated.given());
    unrelated.result();
  }
  EXPECT_TRUE(second.is_given_nothing());
  EXPECT_EQ(look_ups("wanted"), 2u) << "one for each session";
  first.fail(running);
  second.fail(second.given());
  EXPECT_EQ(first.result().exit_code, 1);
  EXPECT_EQ(second.result().exit_code, 1);
  EXPECT_EQ(look_ups("wanted"), 3u) << "one for each session, and one when the first had ended";
}

TEST_F(StepRunnerTest, RunsTheStepOfAClientThatIsGoneWithoutLookingAgain) {
  Session first({"wanted"}, services_);
  first.given();
  Session second({"wanted"}, services_);
  ASSERT_TRUE(wait_for_waiting(1));
  first.hang_up();
  second.fail(second.given());
  EXPECT_EQ(second.result().exit_code, 1);
  EXPECT_EQ(look_ups("wanted"), 2u) << "a run that did not end has stored nothing";
}

class WithShortLimits : public StepRunnerTest {
 protected:
  WithShortLimits() : StepRunnerTest({.slack = 100ms, .unknown = 100ms, .most = 1h}) {}
};

TEST_F(WithShortLimits, RunsTheStepOfAClientThatSaysNothingAndBothEnd) {
  Session mute({"wanted"}, services_);
  const protocol::RunStep never_reported = mute.given();
  Session second({"wanted"}, services_);
  const protocol::RunStep running = second.given();
  Session third({"wanted"}, services_);
  second.fail(running);
  EXPECT_EQ(second.result().exit_code, 1);
  third.fail(third.given());
  EXPECT_EQ(third.result().exit_code, 1);
  mute.fail(never_reported);
  EXPECT_EQ(mute.result().exit_code, 1) << "late, and as good as the others";
  EXPECT_EQ(services_.job_slots.running(), 0u);
}

class WithKnownTimes : public StepRunnerTest {
 protected:
  WithKnownTimes() : StepRunnerTest({.slack = 100ms, .unknown = 1h, .most = 1h}) {}
};

TEST_F(WithKnownTimes, WaitsAsLongAsTheLastRunAllows) {
  Session before({"wanted"}, services_);
  before.fail(before.given());
  before.result();
  Session mute({"wanted"}, services_);
  mute.given();
  Session second({"wanted"}, services_);
  second.fail(second.given());
  EXPECT_EQ(second.result().exit_code, 1);
}

TEST_F(WithKnownTimes, WaitsOnceForAClientThatSaysNothing) {
  Session before({"wanted"}, services_);
  before.fail(before.given());
  before.result();
  Session mute({"wanted", "never run before"}, services_);
  mute.given();
  mute.given();
  Session second({"wanted", "never run before"}, services_);
  const std::vector<protocol::RunStep> steps{second.given(), second.given()};
  for (const protocol::RunStep& step : steps) second.fail(step);
  EXPECT_EQ(second.result().exit_code, 1);
}

TEST_F(WithKnownTimes, WaitsForSeveralClientsThatSayNothingAsForOne) {
  Session before({"wanted"}, services_);
  before.fail(before.given());
  before.result();
  Session mute({"wanted"}, services_);
  mute.given();
  Session other_mute({"never run before"}, services_);
  other_mute.given();
  Session third_mute({"nor this"}, services_);
  third_mute.given();
  Session second({"wanted", "never run before", "nor this"}, services_);
  const std::vector<protocol::RunStep> steps{second.given(), second.given(), second.given()};
  for (const protocol::RunStep& step : steps) second.fail(step);
  EXPECT_EQ(second.result().exit_code, 1);
}

}  // namespace
}  // namespace hipcache::daemon
