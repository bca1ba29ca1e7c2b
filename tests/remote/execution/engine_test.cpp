// The client of an engine: what engines say, what of it is believed, and engines in trouble. Nothing is believed that
// is not as its digest says, as large as it may be, and asked for. Every execution has one answer, in bounded time.
#include "remote/execution/engine.h"

#include <gmock/gmock.h>
#include <grpcpp/server_context.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "operations.grpc.pb.h"
#include "remote/reapi/blobs.h"
#include "remote/reapi/fake_server.h"
#include "remote/server.h"
#include "remote/support.h"
#include "remote_execution.grpc.pb.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using google::longrunning::Operation;
using protocol::ExecuteOutcome;
using protocol::ExecuteState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kTypes = "type.googleapis.com/build.bazel.remote.execution.v2.";

// What the engine says in one stream: the server's side of it.
class Conversation {
 public:
  Conversation(grpc::ServerContext& context, grpc::ServerWriter<Operation>& writer)
      : context_(context), writer_(writer) {}

  void say(const Operation& operation) { writer_.Write(operation); }
  // Until the client leaves.
  void wait() {
    while (!is_left()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool is_left() const { return context_.IsCancelled(); }

 private:
  grpc::ServerContext& context_;
  grpc::ServerWriter<Operation>& writer_;
};

grpc::Status status_of(int code) { return {static_cast<grpc::StatusCode>(code), code == 0 ? "" : "secret"}; }

// An engine in this process, for what a real one cannot be made to show: it says of each execution what the test wants.
class FakeEngine final : wire::Execution::Service, google::longrunning::Operations::Service {
 public:
  // Returns a gRPC code.
  using OnExecute = std::function<int(const wire::ExecuteRequest&, Conversation&)>;
  using OnWait = std::function<int(const wire::WaitExecutionRequest&, Conversation&)>;

  FakeEngine() { server_.set({.executes = true}); }

  void on_execute(OnExecute execute) {
    const std::lock_guard lock(mutex_);
    execute_ = std::move(execute);
  }

  void on_wait(OnWait wait) {
    const std::lock_guard lock(mutex_);
    wait_ = std::move(wait);
  }

  FakeServer& server() { return server_; }

  // The operations that clients cancelled, in their order.
  std::vector<std::string> cancelled() const {
    const std::lock_guard lock(mutex_);
    return cancelled_;
  }

 private:
  grpc::Status Execute(grpc::ServerContext* context, const wire::ExecuteRequest* request,
                       grpc::ServerWriter<Operation>* writer) override {
    std::unique_lock lock(mutex_);
    const auto answer = execute_;
    lock.unlock();
    Conversation conversation(*context, *writer);
    return status_of(answer(*request, conversation));
  }

  grpc::Status WaitExecution(grpc::ServerContext* context, const wire::WaitExecutionRequest* request,
                             grpc::ServerWriter<Operation>* writer) override {
    std::unique_lock lock(mutex_);
    const auto answer = wait_;
    lock.unlock();
    Conversation conversation(*context, *writer);
    return answer ? status_of(answer(*request, conversation)) : status_of(grpc::StatusCode::NOT_FOUND);
  }

  grpc::Status CancelOperation(grpc::ServerContext* /*context*/,
                               const google::longrunning::CancelOperationRequest* request,
                               google::longrunning::Empty* /*response*/) override {
    const std::lock_guard lock(mutex_);
    cancelled_.push_back(request->name());
    return grpc::Status::OK;
  }

  mutable std::mutex mutex_;  // guards all up to the server
  OnExecute execute_;
  OnWait wait_;
  std::vector<std::string> cancelled_;
  FakeServer server_{std::vector<grpc::Service*>{static_cast<wire::Execution::Service*>(this),
                                                 static_cast<google::longrunning::Operations::Service*>(this)}};
};

// Operations as an engine sends them.
Operation in_stage(wire::ExecutionStage::Value stage, const std::string& name = "operation") {
  wire::ExecuteOperationMetadata metadata;
  metadata.set_stage(stage);
  Operation operation;
  operation.set_name(name);
  operation.mutable_metadata()->set_type_url(std::string(kTypes) + "ExecuteOperationMetadata");
  operation.mutable_metadata()->set_value(metadata.SerializeAsString());
  return operation;
}

Operation done_with(const wire::ExecuteResponse& response) {
  Operation operation = in_stage(wire::ExecutionStage::COMPLETED);
  operation.set_done(true);
  operation.mutable_response()->set_type_url(std::string(kTypes) + "ExecuteResponse");
  operation.mutable_response()->set_value(response.SerializeAsString());
  return operation;
}

Operation done_with(const wire::ActionResult& result) {
  wire::ExecuteResponse response;
  *response.mutable_result() = result;
  return done_with(response);
}

Operation done_with_status(int code, const std::string& missing_blob = "") {
  wire::ExecuteResponse response;
  response.mutable_status()->set_code(code);
  response.mutable_status()->set_message("secret");
  if (!missing_blob.empty()) {
    google::longrunning::PreconditionFailure failure;
    auto& violation = *failure.add_violations();
    violation.set_type("MISSING");
    violation.set_subject("blobs/" + missing_blob);
    auto& detail = *response.mutable_status()->add_details();
    detail.set_type_url("type.googleapis.com/google.rpc.PreconditionFailure");
    detail.set_value(failure.SerializeAsString());
  }
  return done_with(response);
}

constexpr std::uint64_t kNever = 600'000;  // ms: longer than a test

// An engine that says what the test wants, and executions on it.
class EngineFixture : public testing::Test {
 protected:
  protocol::RemoteExecute request() const {
    return {.id = ++number_,
            .argv = {"/bin/cc"},
            .working_directory = "/w",
            .inputs = {{.path = "/w/a.c", .contents = "int x;"}},
            .outputs = {"a.o", "b.o"},
            .deadline_ms = kNever,
            .queue_limit_ms = kNever,
            .output_directory = scratch_.path()};
  }

  protocol::RemoteExecuted execute(const protocol::RemoteExecute& asked) {
    states_.clear();
    return engine().execute(asked, cancellation_, [this](protocol::ExecuteState state) { states_.push_back(state); });
  }
  protocol::RemoteExecuted execute() { return execute(request()); }

  // The engine answers each execution with this operation alone.
  protocol::RemoteExecuted execute_with(const Operation& operation) {
    fake_.on_execute([operation](const auto&, Conversation& conversation) {
      conversation.say(operation);
      return 0;
    });
    return execute();
  }
  protocol::RemoteExecuted execute_with(const wire::ActionResult& result) { return execute_with(done_with(result)); }

  Engine& engine() {
    if (!engine_) engine_ = engine_at(fake_.server().url());
    return *engine_;
  }

  std::unique_ptr<Engine> engine_at(const std::string& url) {
    auto parsed = config::parse_execute_url(url + "/main?connect_timeout=20s&timeout=20s&property=pool:gfx9");
    EXPECT_TRUE(parsed) << parsed.error().message;
    return std::make_unique<Engine>(std::move(*parsed));
  }

  void add_output(wire::ActionResult& result, const std::string& path, const std::string& bytes) {
    wire::OutputFile& file = *result.add_output_files();
    file.set_path(path);
    *file.mutable_digest() = fake_.server().add_blob(bytes);
  }

  std::vector<std::string> files_left() const { return list_directory(scratch_.path()).value(); }

  mutable std::uint64_t number_ = 0;
  const support::Scratch scratch_;
  FakeEngine fake_;
  std::unique_ptr<Engine> engine_;
  Cancellation cancellation_;
  std::vector<protocol::ExecuteState> states_;
};

class EngineAnswers : public EngineFixture {};

TEST_F(EngineAnswers, GiveTheCommandsTextsOutputsAndTimes) {
  wire::ActionResult result;
  const std::string large = noise(3u << 20);
  add_output(result, "a.o", large);
  add_output(result, "b.o", "");
  add_output(result, "unasked.o", "x");
  result.set_exit_code(3);
  result.set_stdout_raw("out");
  *result.mutable_stderr_digest() = fake_.server().add_blob("a warning");
  auto& metadata = *result.mutable_execution_metadata();
  metadata.set_worker("worker\n1");
  metadata.mutable_queued_timestamp()->set_seconds(100);
  metadata.mutable_worker_start_timestamp()->set_seconds(101);
  metadata.mutable_execution_start_timestamp()->set_seconds(101);
  metadata.mutable_execution_start_timestamp()->set_nanos(5'000'000);
  metadata.mutable_execution_completed_timestamp()->set_seconds(104);
  metadata.mutable_output_upload_start_timestamp()->set_seconds(104);
  metadata.mutable_output_upload_completed_timestamp()->set_seconds(103);  // clocks go back
  fake_.on_execute([&](const wire::ExecuteRequest& request, Conversation& conversation) {
    EXPECT_EQ(request.instance_name(), "main");
    EXPECT_TRUE(request.skip_cache_lookup());
    wire::Action action;
    EXPECT_TRUE(action.ParseFromString(fake_.server().blob(request.action_digest().hash())));
    EXPECT_EQ(action.platform().properties(0).value(), "gfx9");
    EXPECT_NE(fake_.server().blob(action.command_digest().hash()), "");
    EXPECT_NE(fake_.server().blob(action.input_root_digest().hash()), "");
    EXPECT_EQ(fake_.server().blob(blob_name_of("int x;").hash), "int x;");
    conversation.say(in_stage(wire::ExecutionStage::QUEUED));
    conversation.say(in_stage(wire::ExecutionStage::EXECUTING));
    conversation.say(done_with(result));
    return 0;
  });
  const protocol::RemoteExecuted done = execute();
  ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.stdout_text, "out");
  EXPECT_EQ(done.stderr_text, "a warning");
  EXPECT_THAT(states_, ElementsAre(ExecuteState::queued, ExecuteState::executing));
  ASSERT_EQ(done.outputs.size(), 2u) << "nothing that was not asked for";
  EXPECT_EQ(done.outputs[0].path, "a.o");
  EXPECT_TRUE(support::read_bytes(done.outputs[0].file) == large);
  EXPECT_EQ(done.outputs[0].sha256, blob_name_of(large).hash);
  EXPECT_EQ(done.outputs[0].size, large.size());
  EXPECT_EQ(support::read_bytes(done.outputs[1].file), "");
  EXPECT_EQ(done.worker, "worker\\n1");
  EXPECT_EQ(done.queue_us, 1'000'000u);
  EXPECT_EQ(done.staging_us, 5'000u);
  EXPECT_EQ(done.execution_us, 2'995'000u);
  EXPECT_EQ(done.upload_us, 0u);
  EXPECT_GE(done.bytes_received, large.size());
  EXPECT_GT(done.bytes_sent, 0u);
  EXPECT_EQ(execute().bytes_sent, 0u) << "the engine has all of it";
}

TEST_F(EngineAnswers, WithoutAnOutputLeaveItOut) {
  wire::ActionResult result;
  add_output(result, "b.o", "bytes");
  const protocol::RemoteExecuted done = execute_with(result);
  ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
  ASSERT_EQ(done.outputs.size(), 1u);
  EXPECT_EQ(done.outputs[0].path, "b.o");
}

TEST_F(EngineAnswers, WithDamagedSmallOutputsAreFoundWhicheverWayTheyCome) {
  wire::ActionResult result;
  add_output(result, "a.o", "bytes of a");
  add_output(result, "b.o", "bytes of b");
  for (const bool reads_batches : {true, false}) {
    fake_.server().set({.executes = true, .reads_batches = reads_batches});
    fake_.server().count_anew();
    const protocol::RemoteExecuted done = execute_with(result);
    ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
    EXPECT_EQ(support::read_bytes(done.outputs[1].file), "bytes of b");
    EXPECT_EQ(fake_.server().calls("Read"), reads_batches ? 0 : 2);
    fake_.server().set({.executes = true, .reads_batches = reads_batches, .flips_bits = true});
    const protocol::RemoteExecuted damaged = execute_with(result);
    EXPECT_EQ(damaged.outcome, ExecuteOutcome::lost);
    EXPECT_EQ(damaged.detail, "an output of the engine is damaged");
  }
}

TEST_F(EngineAnswers, WithDamagedOutputsLeaveNoFileBehind) {
  wire::ActionResult result;
  add_output(result, "a.o", "good");
  add_output(result, "b.o", std::string(300u << 10, 'b'));
  for (const FakeServer::Behaviour& behaviour :
       {FakeServer::Behaviour{.executes = true, .flips_bits = true}, {.executes = true, .cuts_blobs = true}}) {
    fake_.server().set(behaviour);
    const protocol::RemoteExecuted damaged = execute_with(result);
    EXPECT_EQ(damaged.outcome, ExecuteOutcome::lost) << damaged.detail;
    EXPECT_THAT(damaged.outputs, IsEmpty());
    EXPECT_THAT(files_left(), IsEmpty());
  }
  fake_.server().set({.executes = true});
  fake_.server().forget_blobs();
  const protocol::RemoteExecuted gone = execute_with(result);
  EXPECT_EQ(gone.outcome, ExecuteOutcome::lost);
  EXPECT_THAT(files_left(), IsEmpty());
}

TEST_F(EngineAnswers, WithOtherContentsAreFound) {
  wire::ActionResult result;
  add_output(result, "a.o", "good");
  result.mutable_output_files(0)->set_contents("evil");
  EXPECT_EQ(execute_with(result).outcome, ExecuteOutcome::lost);
  result.mutable_output_files(0)->set_contents("longer than good");
  EXPECT_EQ(execute_with(result).outcome, ExecuteOutcome::lost);
  result.mutable_output_files(0)->set_contents("good");
  const protocol::RemoteExecuted done = execute_with(result);
  ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
  EXPECT_EQ(support::read_bytes(done.outputs[0].file), "good");
}

TEST_F(EngineAnswers, WithEvilSizesAndNamesTakeNoMemory) {
  const auto outcome_with = [&](const auto& change) {
    wire::ActionResult result;
    add_output(result, "a.o", "good");
    change(result);
    engine_.reset();  // nothing is known of the server
    return execute_with(result);
  };
  const auto huge = outcome_with(
      [](auto& result) { result.mutable_output_files(0)->mutable_digest()->set_size_bytes((2ll << 30) + 1); });
  EXPECT_THAT(huge.detail, HasSubstr("outputs of more than 2 GiB"));
  for (const std::int64_t size : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()})
    EXPECT_EQ(outcome_with([&](auto& result) {
                result.mutable_output_files(0)->mutable_digest()->set_size_bytes(size);
              }).detail,
              "the engine's result has an output without a SHA-256");
  EXPECT_EQ(outcome_with([](auto& result) {
              result.mutable_output_files(0)->mutable_digest()->set_hash("../../etc/passwd");
            }).outcome,
            ExecuteOutcome::failed);
  EXPECT_THAT(outcome_with([](auto& result) { result.set_stderr_raw(std::string((2u << 20) + 1, 'x')); }).detail,
              HasSubstr("messages of more than 2 MiB"));
  EXPECT_THAT(outcome_with([](auto& result) { result.mutable_stdout_digest()->set_size_bytes(1ll << 40); }).detail,
              HasSubstr("messages of more than 2 MiB"));
  EXPECT_EQ(outcome_with([](auto& result) {
              auto& metadata = *result.mutable_execution_metadata();
              metadata.mutable_queued_timestamp()->set_seconds(std::numeric_limits<std::int64_t>::min());
              metadata.mutable_worker_start_timestamp()->set_seconds(std::numeric_limits<std::int64_t>::max());
              metadata.mutable_worker_start_timestamp()->set_nanos(std::numeric_limits<std::int32_t>::min());
            }).outcome,
            ExecuteOutcome::done);
  EXPECT_EQ(outcome_with([](auto& result) {
              result.mutable_execution_metadata()->mutable_worker_start_timestamp()->set_seconds(1'700'000'000);
            }).queue_us,
            0u)
      << "the engine does not say when it took the action";
}

TEST_F(EngineAnswers, ThatCannotBeReadAreNoResult) {
  Operation garbled = in_stage(wire::ExecutionStage::COMPLETED);
  garbled.set_done(true);
  EXPECT_EQ(execute_with(garbled).outcome, ExecuteOutcome::failed) << "neither a response nor an error";
  garbled.mutable_response()->set_type_url("type.googleapis.com/build.bazel.remote.execution.v2.ExecuteResponse");
  garbled.mutable_response()->set_value("\xFF\xFF");
  EXPECT_EQ(execute_with(garbled).outcome, ExecuteOutcome::failed);
  Operation other = done_with(wire::ActionResult());
  other.mutable_response()->set_type_url("type.googleapis.com/build.bazel.remote.execution.v2.ActionResult");
  EXPECT_EQ(execute_with(other).outcome, ExecuteOutcome::failed);
}

TEST_F(EngineAnswers, AreLostIfTheDirectoryCannotBeWritten) {
  wire::ActionResult result;
  add_output(result, "a.o", "good");
  fake_.on_execute([&](const auto&, Conversation& conversation) {
    conversation.say(done_with(result));
    return 0;
  });
  protocol::RemoteExecute asked = request();
  asked.output_directory = scratch_ / "missing";
  EXPECT_EQ(execute(asked).outcome, ExecuteOutcome::failed);
  scratch_.write(std::to_string(asked.id + 1) + ".0", "somebody's");
  asked = request();
  EXPECT_EQ(execute(asked).outcome, ExecuteOutcome::failed) << "nothing is overwritten";
  EXPECT_EQ(support::read_bytes(scratch_ / (std::to_string(asked.id) + ".0")), "somebody's");
}

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
    Operation failed = in_stage(wire::ExecutionStage::COMPLETED);
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
