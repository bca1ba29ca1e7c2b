// What an HTTP status means that a request did not expect.
#ifndef HIPCACHE_SRC_REMOTE_HTTP_HTTP_FAILURE_H
#define HIPCACHE_SRC_REMOTE_HTTP_HTTP_FAILURE_H

#include <span>
#include <string>
#include <string_view>

#include "remote/http/http_client.h"

namespace hipcache::remote {

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
