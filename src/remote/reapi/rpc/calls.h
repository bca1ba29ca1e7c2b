// Calls with one question and one answer, several at once, within Limits.
//
// gRPC has one deadline for a whole call. A look-up needs more: so long for the connection, so long for the first sign
// of an answer, no standstill after that. So calls run over a completion queue of their own, and are cancelled when a
// limit is reached. gRPC's own deadline stays set, to the total.
//
// Each object is used by one thread.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_RPC_CALLS_H
#define HIPCACHE_SRC_REMOTE_REAPI_RPC_CALLS_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "remote/layout/backend.h"
#include "remote/reapi/rpc/connection.h"

namespace hipcache::remote {

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
