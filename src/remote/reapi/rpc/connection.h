// The gRPC channel of a tier, and what goes with each call over it.
//
// One channel for a tier: HTTP/2 carries all calls of all threads. It connects at the first call, so that a daemon
// starts without a network. gRPC's pings stay off, for servers close connections of clients that ping too often. Names
// are resolved by the C library, because gRPC's default, c-ares, has waited for ever (grpc #17436). gRPC retries
// nothing: that is the tier's to decide.
//
// A connection on which a call had no answer in time is given up: a router may have forgotten it, and TCP finds that
// out after a quarter of an hour. Keep-alive pings would find out earlier, and are too many for some servers. A
// connection that is not made within 5 s is made anew. Until then it is kept though calls give up on it, so that a far
// server with a short `connect_timeout` is reached in the end.
//
// The bearer token's file is read for each call. The files of TLS are read again when the channel is not connected: so
// a renewed certificate is used at the next connection.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_RPC_CONNECTION_H
#define HIPCACHE_SRC_REMOTE_REAPI_RPC_CONNECTION_H

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"

namespace hipcache::remote {

// From the status of a gRPC call to what hipcache makes of it. No type of gRPC, so that few files compile its headers.

// gRPC's status codes.
enum class RpcCode {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

// How a call ended.
struct RpcEnd {
  RpcCode code = RpcCode::ok;
  std::string message;         // not to be shown if a server may have written it: it may repeat what was sent
  bool was_connected = false;  // else the message is gRPC's own
  bool by_proxy = false;
  bool timed_out = false;  // a limit of ours was reached; the code says nothing
};

enum class Direction { read, write };

bool is_ok(const RpcEnd& end);

// Whether the server says that it has not got what was asked for. FAILED_PRECONDITION and OUT_OF_RANGE belong here:
// some servers say so of an action whose blobs are gone.
bool is_miss(const RpcEnd& end);

// REQUIRES: !is_ok(end)
Failure failure_of(const RpcEnd& end, Direction direction);

// The same for a code within an answer.
Failure failure_of(RpcCode code, Direction direction);

// gRPC's side of a connection. Included by the four sources that speak gRPC, and by no other: its headers take seconds
// to compile. Messages pass as bytes (generic calls), which needs no generated services.

class GrpcChannel {
 public:
  GrpcChannel(std::shared_ptr<grpc::Channel> channel, bool is_by_proxy)
      : channel_(std::move(channel)), stub_(channel_), is_by_proxy_(is_by_proxy) {}

  bool is_connected() const { return channel_->GetState(false) == GRPC_CHANNEL_READY; }
  bool is_by_proxy() const { return is_by_proxy_; }
  // Until the first sign of an answer.
  std::chrono::milliseconds first_wait(const Limits& limits) const {
    return limits.answer + (is_connected() ? std::chrono::milliseconds(0) : limits.connect);
  }
  grpc::GenericStub& stub() { return stub_; }

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
  const bool is_by_proxy_;
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

class GrpcChannel;  // connection.h

using CallHeaders = std::vector<std::pair<std::string, std::string>>;

class Connection {
 public:
  static constexpr int kLargestMessage = 8 << 20;  // that is taken from a server

  // Touches nothing.
  explicit Connection(config::RemoteUrl url);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::string& instance() const { return instance_; }

  // A failure of these two names a file that cannot be read.
  std::variant<std::shared_ptr<GrpcChannel>, Failure> channel();
  // A call over the channel had no answer in time: further calls take a new one.
  void give_up(const GrpcChannel& channel);
  // The credentials, and what the servers' logs say of us.
  std::variant<CallHeaders, Failure> headers() const;

 private:
  struct TlsFiles {
    std::string roots, key, certificate;
    bool operator==(const TlsFiles&) const = default;
  };
  std::variant<TlsFiles, Failure> read_tls_files() const;
  std::shared_ptr<GrpcChannel> connect(const TlsFiles& files) const;

  const config::RemoteUrl url_;
  const std::string instance_;
  std::mutex mutex_;  // guards all below
  std::shared_ptr<GrpcChannel> channel_;
  TlsFiles files_;  // that channel_ was made with
};

}  // namespace hipcache::remote

#endif
