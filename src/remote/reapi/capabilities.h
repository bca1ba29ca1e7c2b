// What a server says that it can do. Asked once for each connection, beside the first question, so that it costs no
// round trip; forgotten when the server could not be reached, for another one may answer next time. Nothing is written
// to find out.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_CAPABILITIES_H
#define HIPCACHE_SRC_REMOTE_REAPI_CAPABILITIES_H

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "remote/reapi/rpc.h"
#include "remote_execution.pb.h"

namespace hipcache::remote {

namespace wire = ::build::bazel::remote::execution::v2;

using CapabilitiesCall = UnaryCall<wire::GetCapabilitiesRequest, wire::ServerCapabilities>;

struct Capabilities {
  // Servers that advertise "no limit" reject messages above gRPC's default of 4 MiB (bazel-remote #658).
  static constexpr std::uint64_t kBatchBytes = 3u << 20;

  bool has_sha256 = true;
  bool takes_results = true;
  bool has_zstd = false;
  bool executes = true;
  std::string version;  // of the API, the highest; empty if it does not say
  std::uint64_t batch_bytes = kBatchBytes;
  std::uint64_t largest_blob = std::numeric_limits<std::uint64_t>::max();
};

class ServerKnowledge {
 public:
  explicit ServerKnowledge(Connection& connection) : connection_(connection) {}

  // Asks if it is not known.
  std::variant<Capabilities, Failure> get(const Limits& limits);

  // The same in two parts: the caller sends the call with others. Null if it is known.
  std::unique_ptr<CapabilitiesCall> question();
  void take(const CapabilitiesCall& answered);

  void forget();

 private:
  Connection& connection_;
  std::mutex mutex_;  // guards all below
  std::optional<Capabilities> known_;
};

}  // namespace hipcache::remote

#endif
