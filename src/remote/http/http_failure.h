// What an HTTP status means that a request did not expect.
#ifndef HIPCACHE_SRC_REMOTE_HTTP_HTTP_FAILURE_H
#define HIPCACHE_SRC_REMOTE_HTTP_HTTP_FAILURE_H

#include "remote/http/http_client.h"

namespace hipcache::remote {

inline bool is_success(long status) { return status >= 200 && status < 300; }

Failure failure_of_status(const HttpResponse& response);

}  // namespace hipcache::remote

#endif
