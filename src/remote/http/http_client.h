// HTTP requests with limits, by libcurl.
//
// libcurl's own limits are on the whole transfer, or on an average speed over whole seconds. A look-up needs others: so
// long for the connection, so long for the first byte, no standstill after that. So a request runs in a loop of its own
// over curl's multi interface. Redirects are not followed: they would carry credentials elsewhere.
//
// Thread-safe. Connections are kept open, one for each thread that sends at the same time.
#ifndef HIPCACHE_SRC_REMOTE_HTTP_HTTP_CLIENT_H
#define HIPCACHE_SRC_REMOTE_HTTP_HTTP_CLIENT_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "remote/layout/backend.h"

namespace hipcache::remote {

struct HttpOptions {
  std::string user, password;
  std::string ca_file, client_certificate, client_key;
  bool may_use_proxy = true;  // false for servers of this machine, which http_proxy must not lead elsewhere
};

struct HttpRequest {
  std::string method;  // "GET", "HEAD", "PUT", or another one
  std::string url;
  std::vector<std::string> headers;   // "Name: value"
  const std::string* body = nullptr;  // of a PUT or POST; outlives the request
  std::uint64_t most = 1u << 20;      // bytes of the answer
};

struct HttpResponse {
  long status = 0;
  std::string body;
  std::chrono::seconds retry_after{0};
  std::string dav;    // the header DAV: what an OPTIONS of a WebDAV server has
  std::string allow;  // the header Allow
  std::string etag;
  std::string bucket_region;                                  // x-amz-bucket-region: where an S3 bucket is
  std::optional<std::chrono::system_clock::time_point> date;  // the server's clock
};

class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // A failure has no message of the server, and no secret.
  std::variant<HttpResponse, Failure> send(const HttpRequest& request, const Limits& limits);

 private:
  struct Connection;
  struct State;
  std::unique_ptr<State> state_;
};

// "a b" becomes "a%20b"; slashes stay.
std::string url_escaped(const std::string& path);

}  // namespace hipcache::remote

#endif
