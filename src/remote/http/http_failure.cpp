#include "remote/http/http_failure.h"

namespace hipcache::remote {

Failure failure_of_status(const HttpResponse& response) {
  const std::string message = "HTTP status " + std::to_string(response.status);
  switch (response.status) {
    case 429:
    case 503:
      return {Trouble::throttled, message, response.retry_after};
    case 401:
    case 403:
    case 405:
    case 501:
      return {Trouble::refused, message, {}};
    case 413:
    case 507:
      return {Trouble::full, message, {}};
    default:
      return {Trouble::unreachable, message, {}};
  }
}

}  // namespace hipcache::remote
