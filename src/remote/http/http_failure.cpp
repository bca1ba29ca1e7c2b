#include "remote/http/http_failure.h"

#include <algorithm>

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

Failure failure_of_code(const HttpResponse& response, const std::string& code, std::span<const CodeMeaning> known) {
  Failure failure = failure_of_status(response);
  if (!code.empty()) failure.message += " (" + code + ")";
  const auto meaning =
      std::find_if(known.begin(), known.end(), [&](const CodeMeaning& one) { return one.code == code; });
  if (meaning != known.end()) {
    failure.trouble = meaning->trouble;
    if (!meaning->mend.empty()) failure.message.append("; ").append(meaning->mend);
  }
  if (failure.trouble == Trouble::throttled) failure.retry_after = response.retry_after;
  return failure;
}

}  // namespace hipcache::remote
