// One connection to a Redis server, by hiredis, with limits.
//
// hiredis has one limit for each system call, so a server that sends byte by byte would never reach it. Here the limits
// are on the answer (Limits). One thread at a time. After a failure other than an error reply the connection is broken.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_REDIS_CONNECTION_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_REDIS_CONNECTION_H

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"

struct redisContext;
struct redisReply;

namespace hipcache::remote {

struct FreeReply {
  void operator()(redisReply* reply) const;
};
using RedisReply = std::unique_ptr<redisReply, FreeReply>;

class RedisConnection {
 public:
  // Connects, and sends password and database.
  static std::variant<std::unique_ptr<RedisConnection>, Failure> open(const config::RemoteUrl& url,
                                                                      const Limits& limits);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // An error reply is a failure, too.
  std::variant<RedisReply, Failure> call(const std::vector<std::string>& words, const Limits& limits);

  bool is_broken() const { return broken_; }
  // The server closed it: it took no part of the last call.
  bool was_closed() const { return closed_; }

 private:
  explicit RedisConnection(redisContext* context) : context_(context) {}
  bool has_unread() const;
  Failure broken(const std::string& what);

  redisContext* context_;
  bool broken_ = false;
  bool closed_ = false;
};

}  // namespace hipcache::remote

#endif
