// What an answer of an S3 server means that a request did not expect: by the code in its body, else by its status.
//
// Codes: "Error responses" of the Amazon S3 API reference. Only codes that are letters and digits, and names of
// regions, get into a message.
#ifndef HIPCACHE_SRC_REMOTE_S3_S3_FAILURE_H
#define HIPCACHE_SRC_REMOTE_S3_S3_FAILURE_H

#include <string>

#include "remote/http/http_client.h"

namespace hipcache::remote {

// The credentials have ended; comes with status 400 or 403.
bool is_expired(const std::string& code);

Failure failure_of_s3(const HttpResponse& response);

}  // namespace hipcache::remote

#endif
