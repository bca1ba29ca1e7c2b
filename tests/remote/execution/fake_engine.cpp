#include "remote/execution/fake_engine.h"

#include <grpcpp/server_context.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "operations.grpc.pb.h"
#include "remote_execution.grpc.pb.h"

namespace hipcache::remote {
namespace {

using google::longrunning::Operation;

constexpr const char* kTypes = "type.googleapis.com/build.bazel.remote.execution.v2.";

class Spoken : public Conversation {
 public:
  Spoken(grpc::ServerContext& context, grpc::ServerWriter<Operation>& writer) : context_(context), writer_(writer) {}

  void say(const Operation& operation) override { writer_.Write(operation); }
  void wait() override {
    while (!is_left()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool is_left() const override { return context_.IsCancelled(); }

 private:
  grpc::ServerContext& context_;
  grpc::ServerWriter<Operation>& writer_;
};

grpc::Status status_of(int code) { return {static_cast<grpc::StatusCode>(code), code == 0 ? "" : "secret"}; }

}  // namespace

struct FakeEngine::State final : wire::Execution::Service, google::longrunning::Operations::Service {
  mutable std::mutex mutex;  // guards all below
  FakeEngine::Execute execute;
  FakeEngine::Wait wait_for;
  std::vector<std::string> cancelled;
  std::unique_ptr<FakeServer> server;

  grpc::Status Execute(grpc::ServerContext* context, const wire::ExecuteRequest* request,
                       grpc::ServerWriter<Operation>* writer) override {
    std::unique_lock lock(mutex);
    const auto answer = execute;
    lock.unlock();
    Spoken conversation(*context, *writer);
    return status_of(answer(*request, conversation));
  }

  grpc::Status WaitExecution(grpc::ServerContext* context, const wire::WaitExecutionRequest* request,
                             grpc::ServerWriter<Operation>* writer) override {
    std::unique_lock lock(mutex);
    const auto answer = wait_for;
    lock.unlock();
    Spoken conversation(*context, *writer);
    return answer ? status_of(answer(*request, conversation)) : status_of(grpc::StatusCode::NOT_FOUND);
  }

  grpc::Status CancelOperation(grpc::ServerContext* /*context*/,
                               const google::longrunning::CancelOperationRequest* request,
                               google::longrunning::Empty* /*response*/) override {
    const std::lock_guard lock(mutex);
    cancelled.push_back(request->name());
    return grpc::Status::OK;
  }
};

FakeEngine::FakeEngine() : state_(new State) {
  state_->server = std::make_unique<FakeServer>(
      std::vector<grpc::Service*>{static_cast<wire::Execution::Service*>(state_.get()),
                                  static_cast<google::longrunning::Operations::Service*>(state_.get())});
  state_->server->set({.executes = true});
}

FakeEngine::~FakeEngine() { state_->server.reset(); }

void FakeEngine::on_execute(Execute execute) {
  const std::lock_guard lock(state_->mutex);
  state_->execute = std::move(execute);
}

void FakeEngine::on_wait(Wait wait) {
  const std::lock_guard lock(state_->mutex);
  state_->wait_for = std::move(wait);
}

FakeServer& FakeEngine::server() { return *state_->server; }

std::vector<std::string> FakeEngine::cancelled() const {
  const std::lock_guard lock(state_->mutex);
  return state_->cancelled;
}

Operation in_stage(wire::ExecutionStage::Value stage, const std::string& name) {
  wire::ExecuteOperationMetadata metadata;
  metadata.set_stage(stage);
  Operation operation;
  operation.set_name(name);
  operation.mutable_metadata()->set_type_url(std::string(kTypes) + "ExecuteOperationMetadata");
  operation.mutable_metadata()->set_value(metadata.SerializeAsString());
  return operation;
}

namespace {

Operation done_with(const wire::ExecuteResponse& response) {
  Operation operation = in_stage(wire::ExecutionStage::COMPLETED);
  operation.set_done(true);
  operation.mutable_response()->set_type_url(std::string(kTypes) + "ExecuteResponse");
  operation.mutable_response()->set_value(response.SerializeAsString());
  return operation;
}

}  // namespace

Operation done_with(const wire::ActionResult& result) {
  wire::ExecuteResponse response;
  *response.mutable_result() = result;
  return done_with(response);
}

Operation done_with_status(int code, const std::string& missing_blob) {
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

}  // namespace hipcache::remote
