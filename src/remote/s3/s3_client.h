// Sends signed requests to a bucket. Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_S3_S3_CLIENT_H
#define HIPCACHE_SRC_REMOTE_S3_S3_CLIENT_H

#include <atomic>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "remote/http/http_client.h"
#include "remote/s3/access_source.h"
#include "remote/s3/signature.h"

namespace hipcache::remote {

struct S3Request {
  std::string method;
  std::string name;                   // below the URL's path
  const std::string* body = nullptr;  // outlives the request
  Headers conditions;                 // If-Match and its kin; signed, so that no proxy removes them
  std::uint64_t most = 0;             // bytes of an answer with status 200
  bool may_wait = false;              // for new credentials: in the background
};

class S3Client {
 public:
  S3Client(const config::RemoteUrl& url, Variables variables, AccessSource::WallClock now);

  // Any status. A failure has no secret, and nothing that the server wrote.
  std::variant<HttpResponse, Failure> send(const S3Request& request, const Limits& limits);

 private:
  std::variant<HttpResponse, Failure> send_once(const S3Request& request, const S3Access& access, const Limits& limits);
  std::chrono::system_clock::time_point server_time() const { return now_() + std::chrono::seconds(clock_offset_); }

  const AccessSource::WallClock now_;
  HttpClient client_;
  AccessSource source_;
  std::atomic<std::int64_t> clock_offset_ = 0;  // seconds that the server's clock is ahead of ours
};

}  // namespace hipcache::remote

#endif
