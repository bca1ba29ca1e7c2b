// Execution on real engines: the same bytes as here, and each fault as what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "remote/execution/engine.h"
#include "remote/execution/engine_server.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteOutcome;
using testing::HasSubstr;
using testing::IsEmpty;

class Engines : public testing::TestWithParam<EngineServer::Kind> {
 protected:
  void SetUp() override {
    const std::string mend = EngineServer::mend(GetParam());
    ASSERT_EQ(mend, "");
    server_ = std::make_unique<EngineServer>(GetParam());
    ASSERT_FALSE(HasFailure());
    engine_ = engine_with("property=pool:tests");
  }

  std::unique_ptr<Engine> engine_with(const std::string& options) const {
    return std::make_unique<Engine>(
        config::parse_execute_url(server_->url() + "?connect_timeout=20s&timeout=20s&" + options).value());
  }

  protocol::RemoteExecute compile() const {
    protocol::RemoteExecute asked = request_in(scratch_ / "src", scratch_.make_directory("outputs"));
    asked.argv = {"/usr/bin/clang-19", "-g", "-c", "a.c", "-o", "a.o"};
    asked.outputs = {"a.o"};
    asked.inputs.push_back({.path = scratch_ / "src/a.c", .source = scratch_.write("src/a.c", kSource)});
    asked.inputs.push_back(
        {.path = scratch_ / "src/include/a.h", .source = scratch_.write("src/include/a.h", "#define VALUE 7\n")});
    return asked;
  }
  protocol::RemoteExecute shell(const std::string& script) const {
    protocol::RemoteExecute asked = request_in(scratch_.path(), scratch_.make_directory("outputs"));
    asked.argv = {"/usr/bin/sh", "-c", script};
    asked.outputs = {"out"};
    return asked;
  }
  protocol::RemoteExecuted execute(const protocol::RemoteExecute& asked) {
    return engine_->execute(asked, cancellation_, [this](protocol::ExecuteState state) {
      is_executing_ = state == protocol::ExecuteState::executing;
    });
  }

  // Of a compile here and there, twice there.
  void expect_same_bytes() {
    const protocol::RemoteExecuted done = execute(compile());
    ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
    EXPECT_EQ(done.exit_code, 0) << done.stderr_text;
    ASSERT_EQ(done.outputs.size(), 1u);
    ASSERT_EQ(std::system(("cd " + scratch_ / "src && /usr/bin/clang-19 -g -c a.c -o a.o").c_str()), 0);
    EXPECT_TRUE(support::read_bytes(done.outputs[0].file) == support::read_bytes(scratch_ / "src/a.o"));
    EXPECT_EQ(done.hashed.size(), 2u);
    EXPECT_GT(done.execution_us, 0u);
    EXPECT_GT(done.bytes_sent, 0u);
    EXPECT_EQ(execute(compile()).bytes_sent, 0u) << "the engine has it all";
  }

  static constexpr const char* kSource =
      "#include \"include/../include/a.h\"\n#include <stddef.h>\nint f(void) { return VALUE; }\n";

  const support::Scratch scratch_;
  std::unique_ptr<EngineServer> server_;
  std::unique_ptr<Engine> engine_;
  Cancellation cancellation_;
  std::atomic<bool> is_executing_ = false;
};

TEST_P(Engines, CompileToTheSameBytes) { expect_same_bytes(); }

TEST_P(Engines, GiveTheCompilersOwnFailure) {
  protocol::RemoteExecute asked = compile();
  asked.inputs.pop_back();  // the header
  const protocol::RemoteExecuted done = execute(asked);
  ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.stderr_text, HasSubstr("file not found"));
  EXPECT_THAT(done.outputs, IsEmpty());
}

TEST_P(Engines, GiveWhatACommandMadeAndSaid) {
  const protocol::RemoteExecuted nothing = execute(shell("echo said"));
  ASSERT_EQ(nothing.outcome, ExecuteOutcome::done) << nothing.detail;
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_EQ(nothing.stdout_text, "said\n");
  EXPECT_THAT(nothing.outputs, IsEmpty()) << "no output is no fault of the engine";
  const protocol::RemoteExecuted killed = execute(shell("kill -9 $$"));
  ASSERT_EQ(killed.outcome, ExecuteOutcome::done) << killed.detail;
  EXPECT_EQ(killed.exit_code, 137);
  const protocol::RemoteExecuted large = execute(shell("head -c 9000000 /dev/zero > out; head -c 3000 /dev/zero >&2"));
  ASSERT_EQ(large.outcome, ExecuteOutcome::done) << large.detail;
  ASSERT_EQ(large.outputs.size(), 1u);
  EXPECT_TRUE(support::read_bytes(large.outputs[0].file) == std::string(9'000'000, '\0'));
  EXPECT_EQ(large.stderr_text.size(), 3'000u);
}

TEST_P(Engines, TakeInputsOfAnySize) {
  std::string bytes(12u << 20, '\0');
  for (std::size_t at = 0; at < bytes.size(); at += 4'096) bytes[at] = static_cast<char>(at >> 12U);
  protocol::RemoteExecute asked = shell("cat large small empty > out");
  asked.inputs.push_back({.path = scratch_ / "large", .source = scratch_.write("large", bytes)});
  asked.inputs.push_back({.path = scratch_ / "small", .contents = "end"});
  asked.inputs.push_back({.path = scratch_ / "empty", .source = scratch_.write("empty", "")});
  const protocol::RemoteExecuted done = execute(asked);
  ASSERT_EQ(done.outcome, ExecuteOutcome::done) << done.detail;
  ASSERT_EQ(done.outputs.size(), 1u) << done.stderr_text;
  EXPECT_TRUE(support::read_bytes(done.outputs[0].file) == bytes + "end");
}

TEST_P(Engines, EndWhatTakesTooLong) {
  protocol::RemoteExecute asked = shell("sleep 600");
  asked.deadline_ms = 1'000;
  const protocol::RemoteExecuted late = execute(asked);
  EXPECT_TRUE(late.outcome == ExecuteOutcome::overdue) << static_cast<int>(late.outcome) << late.detail;
}

TEST_P(Engines, EndWhatTheDaemonCancels) {
  std::thread daemon([this] {
    EXPECT_TRUE(support::comes_true([this] { return is_executing_.load(); }));
    cancellation_.cancel();
  });
  EXPECT_EQ(execute(shell("sleep 600")).outcome, ExecuteOutcome::cancelled);
  daemon.join();
}

TEST_P(Engines, ThatDieAreUnavailable) {
  std::thread power_cut([this] {
    EXPECT_TRUE(support::comes_true([this] { return is_executing_.load(); }));
    server_->kill();
  });
  const protocol::RemoteExecuted gone = execute(shell("sleep 600"));
  power_cut.join();
  EXPECT_EQ(gone.outcome, ExecuteOutcome::unavailable) << gone.detail;
  EXPECT_EQ(execute(shell("true")).outcome, ExecuteOutcome::unavailable);
}

std::string name_of(const testing::TestParamInfo<EngineServer::Kind>& kind) {
  return kind.param == EngineServer::Kind::casd ? "casd" : "buildgrid";
}

INSTANTIATE_TEST_SUITE_P(Real, Engines, testing::Values(EngineServer::Kind::casd), name_of);

// What buildbox-casd cannot show: it has no queue. One case, because BuildGrid takes long to start.
class EnginesWithAQueue : public Engines {};

TEST_P(EnginesWithAQueue, CompileToTheSameBytesAndDoNotWaitForAPoolThatNobodyServes) {
  expect_same_bytes();
  EXPECT_EQ(execute(shell("kill -9 $$")).exit_code, 137);

  engine_ = engine_with("property=pool:nobody");
  is_executing_ = false;
  protocol::RemoteExecute asked = shell("true");
  asked.queue_limit_ms = 500;
  const protocol::RemoteExecuted late = execute(asked);
  EXPECT_EQ(late.outcome, ExecuteOutcome::expired) << late.detail;
  EXPECT_FALSE(is_executing_);
  engine_ = engine_with("property=unheard_of:property");
  const protocol::RemoteExecuted refused = execute(shell("true"));
  EXPECT_EQ(refused.outcome, ExecuteOutcome::refused) << refused.detail;
  engine_ = engine_with("property=pool:tests");
  EXPECT_EQ(execute(shell("true")).outcome, ExecuteOutcome::done) << "the others do not suffer";

  std::thread daemon([this] {
    EXPECT_TRUE(support::comes_true([this] { return is_executing_.load(); }));
    cancellation_.cancel();
  });
  is_executing_ = false;
  EXPECT_EQ(execute(shell("sleep 600")).outcome, ExecuteOutcome::cancelled);
  daemon.join();
}

INSTANTIATE_TEST_SUITE_P(Real, EnginesWithAQueue, testing::Values(EngineServer::Kind::buildgrid), name_of);

}  // namespace
}  // namespace hipcache::remote
