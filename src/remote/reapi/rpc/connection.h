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

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"

namespace hipcache::remote {

class GrpcChannel;  // grpc_channel.h

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
