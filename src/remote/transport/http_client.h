// HTTP requests with limits, by libcurl.
//
// libcurl's own limits are on the whole transfer, or on an average speed over whole seconds. A look-up needs others: so
// long for the connection, so long for the first byte, no standstill after that. So a request runs in a loop of its own
// over curl's multi interface. Redirects are not followed: they would carry credentials elsewhere.
//
// Thread-safe. Connections are kept open, one for each thread that sends at the same time.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_HTTP_CLIENT_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_HTTP_CLIENT_H

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "remote/layout/backend.h"
#include "remote/transport/authorities.h"
#include "remote/transport/pool.h"

namespace hipcache::remote {

struct HttpOptions {
  std::string user, password;
  TlsFiles tls;
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
  std::map<std::string, std::string> headers;                 // those of kKept, by names in small letters
  std::optional<std::chrono::system_clock::time_point> date;  // the server's clock

  // What callers ask for.
  static constexpr auto kKept = std::to_array<std::string_view>(
      {"allow", "dav", "etag", "x-amz-bucket-region", "x-goog-generation", "x-ms-error-code"});
  // Empty if there is none.
  std::string header(const std::string& name) const {
    const auto known = headers.find(name);
    return known == headers.end() ? "" : known->second;
  }
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

  const HttpOptions options_;
  Pool<Connection> pool_;
};

// "a b" becomes "a%20b"; slashes stay.
std::string url_escaped(const std::string& path);

// The same with slashes escaped: a value in a form or a query.
std::string form_value(const std::string& text);

// What an HTTP status means that a request did not expect.

inline bool is_success(long status) { return status >= 200 && status < 300; }

Failure failure_of_status(const HttpResponse& response);

// What a service's own code of an error means, where its status does not say that.
struct CodeMeaning {
  std::string_view code;
  Trouble trouble;
  std::string_view mend = {};  // for people
};

// `code` may be shown, or is empty.
Failure failure_of_code(const HttpResponse& response, const std::string& code, std::span<const CodeMeaning> known);

}  // namespace hipcache::remote

#endif
