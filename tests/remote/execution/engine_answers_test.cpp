// What engines say, and what of it is believed: nothing that is not as its digest says, as large as it may be, and
// asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "remote/execution/engine_fixture.h"
#include "remote/support.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteOutcome;
using protocol::ExecuteState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  google::longrunning::Operation garbled = in_stage(wire::ExecutionStage::COMPLETED);
  garbled.set_done(true);
  EXPECT_EQ(execute_with(garbled).outcome, ExecuteOutcome::failed) << "neither a response nor an error";
  garbled.mutable_response()->set_type_url("type.googleapis.com/build.bazel.remote.execution.v2.ExecuteResponse");
  garbled.mutable_response()->set_value("\xFF\xFF");
  EXPECT_EQ(execute_with(garbled).outcome, ExecuteOutcome::failed);
  google::longrunning::Operation other = done_with(wire::ActionResult());
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

}  // namespace
}  // namespace hipcache::remote
