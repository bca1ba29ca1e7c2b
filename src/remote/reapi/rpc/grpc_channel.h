// gRPC's side of a connection. Included by the four sources that speak gRPC, and by no other: its headers take seconds
// to compile. Messages pass as bytes (generic calls), which needs no generated services.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_RPC_GRPC_CHANNEL_H
#define HIPCACHE_SRC_REMOTE_REAPI_RPC_GRPC_CHANNEL_H

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "remote/layout/backend.h"
#include "remote/reapi/rpc/failures.h"

namespace hipcache::remote {

class GrpcChannel {
 public:
  explicit GrpcChannel(std::shared_ptr<grpc::Channel> channel) : channel_(std::move(channel)), stub_(channel_) {}

  bool is_connected() const { return channel_->GetState(false) == GRPC_CHANNEL_READY; }
  // Until the first sign of an answer.
  std::chrono::milliseconds first_wait(const Limits& limits) const {
    return limits.answer + (is_connected() ? std::chrono::milliseconds(0) : limits.connect);
  }
  grpc::GenericStub& stub() { return stub_; }

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
};

// Sets headers and the last deadline of a call.
void prepare(grpc::ClientContext& context, const std::vector<std::pair<std::string, std::string>>& headers,
             const Limits& limits);

grpc::ByteBuffer buffer_of(const std::string& message);
std::string bytes_of(const grpc::ByteBuffer& buffer);

RpcEnd end_of(const grpc::Status& status, const GrpcChannel& channel, bool timed_out);

// A completion queue that is empty before it is destroyed. REQUIRES: then no call runs that was not cancelled.
class Queue {
 public:
  using Clock = std::chrono::steady_clock;

  Queue() = default;
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  struct Event {
    void* tag = nullptr;
    bool ok = false;
  };
  // Nothing if none came until then.
  std::optional<Event> next(Clock::time_point until);

  grpc::CompletionQueue* get() { return &queue_; }

 private:
  grpc::CompletionQueue queue_;
};

}  // namespace hipcache::remote

#endif
