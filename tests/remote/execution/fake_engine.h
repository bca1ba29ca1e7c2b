// An engine in this process, for what a real one cannot be made to show: it says of each execution what the test wants.
#ifndef HIPCACHE_TESTS_REMOTE_EXECUTION_FAKE_ENGINE_H
#define HIPCACHE_TESTS_REMOTE_EXECUTION_FAKE_ENGINE_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operations.pb.h"
#include "remote/reapi/fake_server.h"
#include "remote_execution.pb.h"

namespace hipcache::remote {

// What the engine says in one stream. The conversation is the server's side of it.
class Conversation {
 public:
  virtual ~Conversation() = default;
  virtual void say(const google::longrunning::Operation& operation) = 0;
  // Until the client leaves.
  virtual void wait() = 0;
  virtual bool is_left() const = 0;
};

class FakeEngine {
 public:
  // Returns a gRPC code.
  using Execute = std::function<int(const wire::ExecuteRequest&, Conversation&)>;
  using Wait = std::function<int(const wire::WaitExecutionRequest&, Conversation&)>;

  FakeEngine();
  ~FakeEngine();
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  void on_execute(Execute execute);
  void on_wait(Wait wait);
  FakeServer& server();
  // The operations that clients cancelled, in their order.
  std::vector<std::string> cancelled() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

// Operations as an engine sends them.
google::longrunning::Operation in_stage(wire::ExecutionStage::Value stage, const std::string& name = "operation");
google::longrunning::Operation done_with(const wire::ActionResult& result);
google::longrunning::Operation done_with_status(int code, const std::string& missing_blob = "");

}  // namespace hipcache::remote

#endif
