// What libcurl's code for a request that had no answer means.
#ifndef HIPCACHE_SRC_REMOTE_HTTP_TRANSFER_FAILURE_H
#define HIPCACHE_SRC_REMOTE_HTTP_TRANSFER_FAILURE_H

#include <curl/curl.h>

#include "remote/layout/backend.h"

namespace hipcache::remote {

// `verdict`: what OpenSSL's check of the server's certificate found (CURLINFO_SSL_VERIFYRESULT). `sends_certificate`:
// whether we have one for the server.
Failure failure_of_transfer(CURLcode code, long verdict, bool sends_certificate);

}  // namespace hipcache::remote

#endif
