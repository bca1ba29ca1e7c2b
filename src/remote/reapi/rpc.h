// Calls over gRPC, within Limits. Messages pass as bytes (generic calls).
//
// gRPC has one deadline for a whole call. A look-up needs more: so long for the connection, so long for the first sign
// of an answer, no standstill after that. So calls run over a completion queue of their own, and are cancelled when a
// limit is reached. gRPC's own deadline stays set, to the total.
// Rejected: the stubs that protoc generates. They have gRPC's deadline alone as well, each shape of a stream has a type
// of its own, and all who call would compile gRPC's headers, which take seconds: now rpc.cpp alone does.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_RPC_H
#define HIPCACHE_SRC_REMOTE_REAPI_RPC_H

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

// The gRPC channel of a tier, and what goes with each call over it.
//
// One channel: HTTP/2 carries all calls of all threads. It connects at the first call, so that a daemon
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

class GrpcChannel;  // rpc.cpp

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

  // What a call needs.
  struct Ready {
    std::shared_ptr<GrpcChannel> channel;
    CallHeaders headers;  // the credentials, and what the servers' logs say of us
  };
  // A failure names a file that cannot be read.
  std::variant<Ready, Failure> ready();
  // A call over the channel had no answer in time: further calls take a new one.
  void give_up(const GrpcChannel& channel);

 private:
  struct TlsFiles {
    std::string roots, key, certificate;
    bool operator==(const TlsFiles&) const = default;
  };
  std::variant<TlsFiles, Failure> read_tls_files() const;
  std::variant<CallHeaders, Failure> headers() const;
  std::variant<std::shared_ptr<GrpcChannel>, Failure> channel();
  std::shared_ptr<GrpcChannel> connect(const TlsFiles& files) const;

  const config::RemoteUrl url_;
  const std::string instance_;
  std::mutex mutex_;  // guards all below
  std::shared_ptr<GrpcChannel> channel_;
  TlsFiles files_;  // that channel_ was made with
};

// One streaming call, step by step within Limits. When a limit is reached, the call is cancelled and every further step
// fails. Used by one thread.
class Stream {
 public:
  // `method`: a literal. The connection and the limits outlive the stream.
  static std::variant<std::unique_ptr<Stream>, Failure> open(Connection& connection, const char* method,
                                                             const Limits& limits);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // False if the call has ended: finish() says how.
  bool send(const std::string& message);
  // Says that nothing more is sent. Must precede receive().
  bool close();
  // Nothing if the call has ended.
  std::optional<std::string> receive();
  // The same with a limit of its own, for calls in which silence is no fault: the connection is kept.
  std::optional<std::string> receive(std::chrono::milliseconds limit);
  // Thread-safe: ends a wait of the stream's own thread.
  void cancel();
  // Waits for the end of the call. Once.
  RpcEnd finish();

 private:
  struct State;
  explicit Stream(std::unique_ptr<State> state);
  std::optional<std::string> read(std::chrono::milliseconds limit, bool silence_is_fault);
  bool wait(std::chrono::milliseconds limit, bool silence_is_fault = true);

  const std::unique_ptr<State> state_;
};

// A call with one question and one answer. Used by one thread.
class Call {
 public:
  // "/package.Service/Method", a literal
  explicit Call(const char* method) : method_(method) {}
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool ok() const { return !failure_ && remote::is_ok(end_); }
  bool is_miss() const { return !failure_ && remote::is_miss(end_); }
  bool ended_with(RpcCode code) const { return !failure_ && !end_.timed_out && end_.code == code; }
  // REQUIRES: !ok()
  Failure failure(Direction direction) const { return failure_ ? *failure_ : failure_of(end_, direction); }

 private:
  friend class CallGroup;

  virtual std::string encode() const = 0;
  virtual bool decode(const std::string& bytes) = 0;

  const char* const method_;
  RpcEnd end_;
  std::optional<Failure> failure_;  // of our own
};

template <typename Request, typename Response>
class UnaryCall : public Call {
 public:
  using Call::Call;

  Request request;
  Response response;

 private:
  std::string encode() const override { return request.SerializeAsString(); }
  bool decode(const std::string& bytes) override { return response.ParseFromString(bytes); }
};

// Sends calls and waits for all of them.
class CallGroup {
 public:
  CallGroup(Connection& connection, const Limits& limits) : connection_(connection), limits_(limits) {}

  // The call must outlive run().
  void add(Call& call) { calls_.push_back(&call); }
  void run();

 private:
  struct Running;

  Connection& connection_;
  const Limits& limits_;
  std::vector<Call*> calls_;
};

// The same for one.
void run(Call& call, Connection& connection, const Limits& limits);

}  // namespace hipcache::remote

#endif
