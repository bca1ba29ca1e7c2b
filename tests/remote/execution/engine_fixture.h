// What the tests of engines in trouble share: an engine that says what the test wants, and executions on it.
#ifndef HIPCACHE_TESTS_REMOTE_EXECUTION_ENGINE_FIXTURE_H
#define HIPCACHE_TESTS_REMOTE_EXECUTION_ENGINE_FIXTURE_H

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "remote/execution/engine.h"
#include "remote/execution/fake_engine.h"
#include "support/scratch.h"

namespace hipcache::remote {

inline constexpr std::uint64_t kNever = 600'000;  // ms: longer than a test

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
  protocol::RemoteExecuted execute_with(const google::longrunning::Operation& operation) {
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

}  // namespace hipcache::remote

#endif
