// Engines in trouble: every execution has one answer, in bounded time.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "remote/execution/engine_fixture.h"
#include "remote/server.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteOutcome;
using protocol::ExecuteState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class EngineFaults : public EngineFixture {};

TEST_F(EngineFaults, HaveAnOutcomeForEachStatus) {
  const std::vector<std::pair<grpc::StatusCode, ExecuteOutcome>> outcomes{
      {grpc::StatusCode::DEADLINE_EXCEEDED, ExecuteOutcome::overdue},
      {grpc::StatusCode::UNAVAILABLE, ExecuteOutcome::unavailable},
      {grpc::StatusCode::RESOURCE_EXHAUSTED, ExecuteOutcome::unavailable},
      {grpc::StatusCode::PERMISSION_DENIED, ExecuteOutcome::refused},
      {grpc::StatusCode::INVALID_ARGUMENT, ExecuteOutcome::refused},
      {grpc::StatusCode::FAILED_PRECONDITION, ExecuteOutcome::refused},
      {grpc::StatusCode::INTERNAL, ExecuteOutcome::lost},
      {grpc::StatusCode::ABORTED, ExecuteOutcome::lost}};
  for (const auto& [code, outcome] : outcomes) {
    google::longrunning::Operation failed = in_stage(wire::ExecutionStage::COMPLETED);
    failed.set_done(true);
    failed.mutable_error()->set_code(code);
    failed.mutable_error()->set_message("secret");
    for (const auto& operation : {done_with_status(code), failed}) {
      engine_.reset();  // nothing is known of the server
      const protocol::RemoteExecuted executed = execute_with(operation);
      EXPECT_EQ(executed.outcome, outcome) << code;
      EXPECT_THAT(executed.detail, Not(HasSubstr("secret")));
    }
    engine_.reset();
    fake_.on_execute([refusal = static_cast<int>(code)](const auto&, Conversation&) { return refusal; });
    EXPECT_EQ(execute().outcome, outcome) << code << " of the call";
  }
}

TEST_F(EngineFaults, OfAMissingBlobSendItAgainOnce) {
  std::atomic<int> executions = 0;
  fake_.on_execute([&](const wire::ExecuteRequest& request, Conversation& conversation) {
    const bool is_first = ++executions == 1;
    if (is_first) fake_.server().forget_blobs();
    const bool is_missing = fake_.server().blob(request.action_digest().hash()).empty();
    conversation.say(is_missing ? done_with_status(grpc::StatusCode::FAILED_PRECONDITION, "abc/1")
                                : done_with(wire::ActionResult()));
    return 0;
  });
  EXPECT_EQ(execute().outcome, ExecuteOutcome::done);
  EXPECT_EQ(executions, 2);

  fake_.on_execute([&](const auto&, Conversation& conversation) {
    ++executions;
    conversation.say(done_with_status(grpc::StatusCode::FAILED_PRECONDITION, "abc/1"));
    return 0;
  });
  executions = 0;
  const protocol::RemoteExecuted lost = execute();
  EXPECT_EQ(lost.outcome, ExecuteOutcome::lost);
  EXPECT_THAT(lost.detail, HasSubstr("a blob is missing"));
  EXPECT_EQ(executions, 2);
}

TEST_F(EngineFaults, OfAStreamThatBreaksAreTakenUpAgain) {
  fake_.on_execute([](const auto&, Conversation& conversation) {
    conversation.say(in_stage(wire::ExecutionStage::EXECUTING, "operations/7"));
    return static_cast<int>(grpc::StatusCode::UNAVAILABLE);
  });
  fake_.on_wait([](const wire::WaitExecutionRequest& request, Conversation& conversation) {
    EXPECT_EQ(request.name(), "operations/7");
    conversation.say(done_with(wire::ActionResult()));
    return 0;
  });
  EXPECT_EQ(execute().outcome, ExecuteOutcome::done);

  std::atomic<int> waits = 0;
  fake_.on_wait([&](const auto&, Conversation&) {
    ++waits;
    return 0;  // the stream ends, the operation does not
  });
  EXPECT_EQ(execute().outcome, ExecuteOutcome::lost);
  EXPECT_EQ(waits, 2) << "not for ever";
  fake_.on_wait([](const auto&, Conversation&) { return static_cast<int>(grpc::StatusCode::NOT_FOUND); });
  EXPECT_EQ(execute().outcome, ExecuteOutcome::lost);
}

TEST_F(EngineFaults, OfAQueueWithoutAWorkerEndAtItsLimit) {
  fake_.on_execute([](const auto&, Conversation& conversation) {
    conversation.say(in_stage(wire::ExecutionStage::CACHE_CHECK, "queued"));
    conversation.say(in_stage(wire::ExecutionStage::QUEUED, "queued"));
    conversation.wait();
    return 0;
  });
  protocol::RemoteExecute asked = request();
  asked.queue_limit_ms = 100;
  EXPECT_EQ(execute(asked).outcome, ExecuteOutcome::expired);
  EXPECT_THAT(states_, ElementsAre(ExecuteState::queued));
  EXPECT_TRUE(support::comes_true([&] { return fake_.cancelled() == std::vector<std::string>{"queued"}; }));

  fake_.on_execute([](const auto&, Conversation& conversation) {  // says nothing at all
    conversation.wait();
    return 0;
  });
  EXPECT_EQ(execute(asked).outcome, ExecuteOutcome::expired);
}

TEST_F(EngineFaults, OfAnExecutionThatDoesNotEndEndAtItsDeadline) {
  fake_.on_execute([](const auto&, Conversation& conversation) {
    for (const auto stage : {wire::ExecutionStage::QUEUED, wire::ExecutionStage::EXECUTING})
      conversation.say(in_stage(stage, "running"));
    while (!conversation.is_left()) conversation.say(in_stage(wire::ExecutionStage::EXECUTING, "running"));
    return 0;
  });
  protocol::RemoteExecute asked = request();
  asked.deadline_ms = 100;
  EXPECT_EQ(execute(asked).outcome, ExecuteOutcome::overdue) << "although the engine never falls silent";
  EXPECT_THAT(states_, ElementsAre(ExecuteState::queued, ExecuteState::executing));
  EXPECT_TRUE(support::comes_true([&] { return fake_.cancelled() == std::vector<std::string>{"running"}; }));
}

// It may have been in a queue that the engine says nothing of.
TEST_F(EngineFaults, OfAnExecutionThatWasNeverQueuedHaveTheTimeOfAQueueToo) {
  fake_.on_execute([](const auto&, Conversation& conversation) {
    conversation.say(in_stage(wire::ExecutionStage::EXECUTING, "running"));
    conversation.wait();
    return 0;
  });
  protocol::RemoteExecute asked = request();
  asked.deadline_ms = 100;
  asked.queue_limit_ms = 200;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(execute(asked).outcome, ExecuteOutcome::overdue);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(300));
}

TEST_F(EngineFaults, OfAWorkerThatComesAndGoesGainNoTime) {
  fake_.on_execute([](const auto&, Conversation& conversation) {
    while (!conversation.is_left())
      for (const auto stage : {wire::ExecutionStage::QUEUED, wire::ExecutionStage::EXECUTING})
        conversation.say(in_stage(stage));
    return 0;
  });
  protocol::RemoteExecute asked = request();
  asked.deadline_ms = 100;
  asked.queue_limit_ms = 100;
  const ExecuteOutcome outcome = execute(asked).outcome;
  EXPECT_TRUE(outcome == ExecuteOutcome::overdue || outcome == ExecuteOutcome::expired);
}

TEST_F(EngineFaults, EndAtOnceWhenTheDaemonCancels) {
  fake_.on_execute([](const auto&, Conversation& conversation) {
    conversation.say(in_stage(wire::ExecutionStage::EXECUTING, "unwanted"));
    conversation.wait();
    return 0;
  });
  std::atomic<bool> is_running = false;  // and its name is known
  std::thread daemon([&] {
    EXPECT_TRUE(support::comes_true([&] { return is_running.load(); }));
    cancellation_.cancel();
  });
  const auto executed = engine().execute(request(), cancellation_, [&](ExecuteState) { is_running = true; });
  EXPECT_EQ(executed.outcome, ExecuteOutcome::cancelled);
  daemon.join();
  EXPECT_TRUE(support::comes_true([&] { return fake_.cancelled() == std::vector<std::string>{"unwanted"}; }));
  EXPECT_EQ(execute().outcome, ExecuteOutcome::cancelled) << "nothing more runs under it";
}

TEST_F(EngineFaults, OfThisMachineNameTheFileAndAskNobody) {
  protocol::RemoteExecute unreadable = request();
  unreadable.inputs.push_back({.path = "/w/b.c", .source = scratch_ / "missing"});
  const protocol::RemoteExecuted failed = execute(unreadable);
  EXPECT_EQ(failed.outcome, ExecuteOutcome::failed);
  EXPECT_THAT(failed.detail, HasSubstr(scratch_ / "missing"));
  EXPECT_EQ(fake_.server().calls("FindMissingBlobs"), 0);
}

TEST_F(EngineFaults, OfAServerThatExecutesNothingAreNamed) {
  fake_.server().set({.executes = false});
  EXPECT_EQ(execute().outcome, ExecuteOutcome::refused);
  const protocol::RemoteEngineAnswer none = engine().answer_to({.id = 9});
  EXPECT_EQ(none.id, 9u);
  EXPECT_FALSE(none.ok);
  EXPECT_THAT(none.detail, HasSubstr("executes nothing"));
  fake_.server().set({.executes = true});
  const protocol::RemoteEngineAnswer some = engine().answer_to({.id = 10});
  EXPECT_TRUE(some.ok) << some.detail;
  EXPECT_EQ(some.version, "2.3");
  fake_.server().set({.has_sha256 = false, .executes = true});
  EXPECT_FALSE(engine().answer_to({.id = 11}).ok);
}

TEST_F(EngineFaults, OfFilesThatChangeAreOurs) {
  const std::string source = scratch_.write("a.c", "first");
  protocol::RemoteExecute asked = request();
  asked.inputs = {{.path = "/w/a.c", .source = source, .sha256 = blob_name_of("other").hash, .size = 5}};
  const protocol::RemoteExecuted failed = execute(asked);
  EXPECT_EQ(failed.outcome, ExecuteOutcome::failed);
  EXPECT_THAT(failed.detail, HasSubstr("has changed"));
}

TEST_F(EngineFaults, OfABlackHoleOrAClosedPortAreUnavailable) {
  SilentServer silent;
  const auto engine_with = [&](std::uint16_t port) {
    return std::make_unique<Engine>(
        config::parse_execute_url("grpc://127.0.0.1:" + std::to_string(port) + "/?connect_timeout=50ms&timeout=50ms")
            .value());
  };
  engine_ = engine_with(silent.port());
  EXPECT_EQ(execute().outcome, ExecuteOutcome::unavailable);
  EXPECT_FALSE(engine().answer_to({.id = 1}).ok);
  engine_ = engine_with(free_port());
  EXPECT_EQ(execute().outcome, ExecuteOutcome::unavailable);
  FakeServer stalling;
  stalling.set({.executes = true, .stalls = true});
  engine_ = std::make_unique<Engine>(config::parse_execute_url(stalling.url()).value());
  EXPECT_EQ(execute().outcome, ExecuteOutcome::unavailable) << "connects, and says nothing";
}

}  // namespace
}  // namespace hipcache::remote
