// A Redis or Valkey server as a plain store. Keys are "hipcache/" and the name; the server evicts by its own policy.
//
// Lists are changed with WATCH, MULTI and EXEC: a list that another client changed meanwhile is read again, so no path
// set is lost. Rejected: a sorted set for each list, whose members would be whole path sets and travel without
// compression; a script (EVAL), which some services do not allow.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_REDIS_STORE_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_REDIS_STORE_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"
#include "remote/layout/key_value.h"
#include "remote/transport/byte_stream.h"

struct redisReader;
struct redisReply;

namespace hipcache::remote {

// One connection to a Redis server, with limits.
//
// hiredis writes requests and reads answers; a ByteStream carries them. Rejected: hiredis's own connection, which has
// one limit for each system call, so that a server that sends byte by byte would never reach it; and hiredis's TLS,
// which Debian's version does not have.
//
// The limits are on the connection, with its TLS handshake, and on each answer (Limits). One thread at a time. After a
// failure other than an error reply the connection is broken.
struct FreeReply {
  void operator()(redisReply* reply) const;
};
using RedisReply = std::unique_ptr<redisReply, FreeReply>;

class RedisConnection {
 public:
  // Connects, and sends password and database.
  static std::variant<std::unique_ptr<RedisConnection>, Failure> open(const config::RemoteUrl& url,
                                                                      const Limits& limits);

  // An error reply is a failure, too.
  std::variant<RedisReply, Failure> call(const std::vector<std::string>& words, const Limits& limits);

  bool is_broken() const { return broken_; }
  // The server closed it: it took no part of the last call.
  bool was_closed() const { return closed_; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct FreeReader {
    void operator()(redisReader* reader) const;
  };

  explicit RedisConnection(std::unique_ptr<ByteStream> stream);
  std::optional<Failure> find_unread();
  std::optional<Failure> send(const std::vector<std::string>& words, const Limits& limits, TimePoint last);
  std::variant<RedisReply, Failure> receive(const Limits& limits, TimePoint last);
  Failure broken(const std::string& what);
  Failure broken(const std::string& what, Transfer::State state);

  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<redisReader, FreeReader> reader_;
  bool broken_ = false;
  bool closed_ = false;
};

std::unique_ptr<KeyValue> make_redis_store(const config::RemoteUrl& url);

}  // namespace hipcache::remote

#endif
