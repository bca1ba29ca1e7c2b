// One streaming call, step by step within Limits. When a limit is reached, the call is cancelled and every further step
// fails. Used by one thread.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_RPC_STREAM_H
#define HIPCACHE_SRC_REMOTE_REAPI_RPC_STREAM_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "remote/layout/backend.h"
#include "remote/reapi/rpc/connection.h"
#include "remote/reapi/rpc/failures.h"

namespace hipcache::remote {

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
  void cancel();
  // Waits for the end of the call. Once.
  RpcEnd finish();

 private:
  struct State;
  explicit Stream(std::unique_ptr<State> state);
  bool wait(std::chrono::milliseconds limit);

  const std::unique_ptr<State> state_;
};

}  // namespace hipcache::remote

#endif
